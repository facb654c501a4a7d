// The heading of the tabs: which two executions they show and what each cost. For a pair that the report does not contain, it says
// what lies between, and the command that compares it.

import { useRef } from "preact/hooks";
import { Breakable } from "./breakable";
import { Causes } from "./causes";
import { causesSaved } from "./causes_save";
import { changeInWords } from "./chart/points";
import { CopyButton } from "./copy";
import { compact, cost, delta } from "./format";
import { sides } from "./names";
import type { Comparison, Payload } from "./payload";
import { SaveMenu } from "./save";
import { measuredAt, type Selection, type Store, useStore } from "./state";

/** More commits than this are counted, not listed. */
const LISTED = 8;

export function Pair({ payload, store }: { payload: Payload; store: Store }) {
  const { selection, modes } = useStore(store);
  const causes = useRef<HTMLTableElement>(null);
  const held = payload.comparisons[selection.comparison];
  return (
    <section class="pair" aria-label="Selected pair" data-comparison={selection.comparison}>
      <div class="bar">
        <h2>
          <Breakable text={held && selection.before < 0 ? sides(payload, held) : chosen(payload, selection)} />
        </h2>
        {held && <Totals {...costs(held)} unit={payload.unit} />}
        {held && isCountedApart(held) && (
          <span class="dim">
            (contexts: {compact(held.before.total)} → {compact(held.after.total)}, from runs of their own)
          </span>
        )}
        {held && isOfOtherVersions(held, selection) && (
          <span class="dim">
            (measured at {held.before.label} → {held.after.label}, which execute the same code)
          </span>
        )}
        {held?.notes.map((note) => (
          <span class="dim" key={note}>
            {note}
          </span>
        ))}
        <span class="spacer" />
        {payload.comparisons.length > 1 && (
          <label>
            <span class="dim">Compared in this report</span>{" "}
            <select value={String(selection.comparison)} onChange={(event) => store.selectComparison(Number(event.currentTarget.value))}>
              {!held && <option value="-1">(another pair)</option>}
              {payload.comparisons.map((each, at) => (
                <option key={at} value={String(at)}>
                  {versionsFirst(payload, each)}
                </option>
              ))}
            </select>
          </label>
        )}
        {held && held.causes.length > 0 && <SaveMenu saved={causesSaved(payload, held, () => causes.current!)} modes={modes} />}
      </div>
      {held && <Causes table={causes} payload={payload} comparison={held} store={store} />}
      {!held && selection.before >= 0 && selection.after >= 0 && <Between payload={payload} selection={selection} />}
    </section>
  );
}

function Totals({ before, after, unit }: { before: number; after: number; unit: string }) {
  return (
    <span class="numbers" data-before={before} data-after={after}>
      {cost(before, unit)} → {cost(after, unit)} <strong>{delta(before, after, unit)}</strong>
    </span>
  );
}

/**
 * What the chart has, so that a number is the same wherever it is met: a profiler runs a benchmark once more for its contexts, and may
 * count a few instructions more or less. Where a side was not tracked, the contexts' own.
 */
function costs({ before, after }: Comparison): { before: number; after: number } {
  const tracked = before.measured !== null && after.measured !== null;
  return tracked ? { before: before.measured!, after: after.measured! } : { before: before.total, after: after.total };
}

/** True if a picked version has no measurement of its own, so that the comparison is of others. */
function isOfOtherVersions({ before, after }: Comparison, selection: Selection): boolean {
  const isOther = (picked: number, held: number) => picked >= 0 && held >= 0 && picked !== held;
  return selection.before >= 0 && selection.after >= 0 && (isOther(selection.before, before.version) || isOther(selection.after, after.version));
}

/** As an entry of a list that may be cut at its end: of one benchmark what tells its entries apart comes first. */
function versionsFirst(payload: Payload, comparison: Comparison): string {
  const { before, after } = comparison;
  const name = payload.benchmarks[after.benchmark] ?? "";
  return before.benchmark === after.benchmark && name ? `${before.label} → ${after.label}: ${name}` : sides(payload, comparison);
}

function isCountedApart({ before, after }: Comparison): boolean {
  return [before, after].some(({ measured, total }) => measured !== null && compact(measured) !== compact(total));
}

function chosen(payload: Payload, { benchmark, against, before, after }: Selection): string {
  if (before < 0 || after < 0) return "No pair is selected: pick two points in the chart, or a cell of the matrix";
  const side = (of: number, version: number) => ({ benchmark: of, version, label: payload.versions[version]!.label, total: 0, measured: null });
  return sides(payload, { before: side(against, before), after: side(benchmark, after) });
}

/** A pair without trees: both costs, the changes and versions between them, the command that compares them. */
function Between({ payload, selection }: { payload: Payload; selection: Selection }) {
  const { benchmark, against, before, after } = selection;
  const seriesOf = (of: number) => payload.chart.find((each) => each.benchmark === of);
  const [first, last] = [seriesOf(against)?.values[before] ?? null, seriesOf(benchmark)?.values[after] ?? null];
  const changes = benchmark === against ? (seriesOf(benchmark)?.changes ?? []).filter(({ version }) => version > before && version <= after) : [];
  const versions = payload.versions.slice(before + 1, after + 1);
  const command = filled(payload, selection);
  return (
    <div class="between">
      <p>
        {isCarried(payload, selection)
          ? "No code that this benchmark executes differs between these versions: the later cost is carried over from the earlier one."
          : "This report does not contain the calling contexts of this pair."}{" "}
        {first !== null && last !== null && <Totals before={first} after={last} unit={payload.unit} />}
      </p>
      {changes.length > 0 && (
        <p>
          Changes between: {changes.map((change) => changeInWords(payload, change)).join(", ")}
        </p>
      )}
      {versions.length > 0 && (
        <>
          <p>{versions.length === 1 ? "One version came since:" : `${versions.length} versions came since:`}</p>
          <ul class="versions">
            {versions.slice(0, LISTED).map(({ commit, label, summary }) => (
              <li key={commit}>
                <span class="code">{label}</span> {summary}
              </li>
            ))}
            {versions.length > LISTED && <li class="dim">and {versions.length - LISTED} more</li>}
          </ul>
        </>
      )}
      <p class="command">
        <span>To compare them:</span> <code class="code">{command}</code> <CopyButton text={command} label="Copy" />
      </p>
    </div>
  );
}

function isCarried(payload: Payload, { benchmark, against, before, after }: Selection): boolean {
  return benchmark === against && measuredAt(payload, against, before) === measuredAt(payload, benchmark, after);
}

/** The report's command with versions and benchmarks in it, quoted where a shell needs it; of two benchmarks at the later version (R4). */
function filled(payload: Payload, { benchmark, against, before, after }: Selection): string {
  const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
  const label = (version: number) => payload.versions[version]!.label;
  const name = (of: number) => payload.benchmarks[of]!;
  const [command, values]: [string, Record<string, string>] =
    benchmark === against
      ? [payload.commands.compare, { before: label(before), after: label(after), benchmark: name(benchmark) }]
      : [payload.commands.benchmarks, { version: label(after), before: name(against), after: name(benchmark) }];
  return command.replace(/\{(\w+)\}/g, (_, key: string) => quote(values[key]!));
}
