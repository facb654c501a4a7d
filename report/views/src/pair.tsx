// The heading of the tabs: which two executions they show and what each cost. For a pair that the report does not contain, it says
// what lies between, and the command that compares it.

import { Causes } from "./causes";
import { METHODS } from "./chart/points";
import { CopyButton } from "./copy";
import { cost, delta, signedShare } from "./format";
import type { Comparison, Payload } from "./payload";
import { measuredAt, type Selection, type Store, useStore } from "./state";

/** More commits than this are counted, not listed. */
const LISTED = 8;

export function Pair({ payload, store }: { payload: Payload; store: Store }) {
  const { selection } = useStore(store);
  const held = payload.comparisons[selection.comparison];
  return (
    <section class="pair" aria-label="Selected pair" data-comparison={selection.comparison}>
      <div class="bar">
        <h2>{held && selection.before < 0 ? sides(payload, held) : chosen(payload, selection)}</h2>
        {held && <Totals before={held.before.total} after={held.after.total} unit={payload.unit} />}
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
                  {sides(payload, each)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {held && <Causes payload={payload} comparison={held} store={store} />}
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

/** "parse_large: v1.2 → v1.3". */
function sides(payload: Payload, { before, after }: Pick<Comparison, "before" | "after">): string {
  const name = (benchmark: number) => payload.benchmarks[benchmark] ?? "";
  if (before.benchmark === after.benchmark) return `${name(after.benchmark) && `${name(after.benchmark)}: `}${before.label} → ${after.label}`;
  return `${name(before.benchmark)} ${before.label} → ${name(after.benchmark)} ${after.label}`;
}

function chosen(payload: Payload, { benchmark, against, before, after }: Selection): string {
  if (before < 0 || after < 0) return "No pair is selected: pick two points in the chart, or a cell of the matrix";
  const side = (of: number, version: number) => ({ benchmark: of, version, label: payload.versions[version]!.label, total: 0 });
  return sides(payload, { before: side(against, before), after: side(benchmark, after) });
}

/** A pair without trees: both costs, the changes and versions between them, the command that compares them. */
function Between({ payload, selection }: { payload: Payload; selection: Selection }) {
  const { benchmark, against, before, after } = selection;
  const seriesOf = (of: number) => payload.chart.find((each) => each.benchmark === of);
  const [first, last] = [seriesOf(against)?.values[before] ?? null, seriesOf(benchmark)?.values[after] ?? null];
  const changes = benchmark === against ? (seriesOf(benchmark)?.changes ?? []).filter(({ version }) => version > before && version <= after) : [];
  const versions = payload.versions.slice(before + 1, after + 1);
  const command = benchmark === against ? filled(payload, selection) : null;
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
          Changes between:{" "}
          {changes.map(({ version, method, change }) => `${METHODS[method]} ${signedShare(change)} at ${payload.versions[version]!.label}`).join(", ")}
        </p>
      )}
      {versions.length > 0 && (
        <>
          <p>{versions.length === 1 ? "One version lies between:" : `${versions.length} versions lie between:`}</p>
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
      {command ? (
        <p class="command">
          <span>To compare them:</span> <code class="code">{command}</code> <CopyButton text={command} label="Copy" />
        </p>
      ) : (
        <p>This report does not compare these two benchmarks.</p>
      )}
    </div>
  );
}

function isCarried(payload: Payload, { benchmark, against, before, after }: Selection): boolean {
  return benchmark === against && measuredAt(payload, against, before) === measuredAt(payload, benchmark, after);
}

/** The report's command with both versions and the benchmark in it, quoted where a shell needs it. */
function filled(payload: Payload, { benchmark, before, after }: Selection): string {
  const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
  const values: Record<string, string> = {
    before: payload.versions[before]!.label,
    after: payload.versions[after]!.label,
    benchmark: payload.benchmarks[benchmark]!,
  };
  return payload.commands.compare.replace(/\{(before|after|benchmark)\}/g, (_, key: string) => quote(values[key]!));
}
