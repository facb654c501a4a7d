// The source of a function before and after, as a diff (B12, M10). Rust finds which lines differ, this only draws them.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import "./diff.css";
import { selectedNode } from "../blueprint/selected";
import { ownName, prefix, text } from "../names";
import { LineKind, type Payload } from "../payload";
import { useStore } from "../state";
import type { ViewProps } from "../view";
import { highlight, type Piece } from "./highlight";
import { type Line, sideBySide, type SourcePair, sourcePair } from "./lookup";

/** Docked below the views: the selected function's, or as long as none is, that of the hot path's nearest changed one. */
export function Diff({ payload, comparison, state }: ViewProps) {
  const { selection } = useStore(state);
  const suggested = useMemo(() => (comparison === null ? -1 : suggestion(payload, comparison.trees.blueprint)), [payload, comparison]);
  const of = selection.function >= 0 ? selection.function : suggested;
  const dock = useRef<HTMLElement>(null);
  const wide = useIsWide(dock);
  const [asked, setAsked] = useState<"unified" | "split" | null>(null);
  const form = asked ?? (wide ? "split" : "unified");
  const before = comparison?.before.version ?? selection.before;
  const after = comparison?.after.version ?? selection.after;
  const inTree = comparison === null || of < 0 ? -1 : selectedNode(comparison.trees.blueprint, { function: of, path: selection.path });
  return (
    <section class="diff" aria-label="Source" ref={dock} data-function={of < 0 ? undefined : text(payload, payload.functions.name[of])}>
      <header>
        <h2>Source</h2>
        {of >= 0 && <Heading payload={payload} of={of} />}
        {of >= 0 && selection.function < 0 && <span class="dim">changed function nearest to the end of the hot path</span>}
        {of >= 0 && inTree < 0 && comparison !== null && <span class="dim">not executed in this pair</span>}
        {of >= 0 && (
          <span class="forms" role="group" aria-label="Layout of the diff">
            <button aria-pressed={form === "unified"} onClick={() => setAsked("unified")}>
              Unified
            </button>
            <button aria-pressed={form === "split"} onClick={() => setAsked("split")}>
              Side by side
            </button>
          </span>
        )}
      </header>
      {of < 0 ? <p class="empty">Select a box or a frame to see its source before and after.</p> : <DiffView payload={payload} function={of} before={before} after={after} form={form} />}
    </section>
  );
}

interface DiffViewProps {
  payload: Payload;
  function: number;
  /** Versions; -1 where stacks come from a file. */
  before: number;
  after: number;
  form?: "unified" | "split";
}

/** The diff alone. */
export function DiffView({ payload, function: of, before, after, form = "unified" }: DiffViewProps) {
  const pair = useMemo(() => sourcePair(payload, of, before, after), [payload, of, before, after]);
  const { language } = payload.sources;
  const pieces = useMemo(
    () => ({ before: highlight(pair?.before ?? "", language), after: highlight(pair?.after ?? "", language) }),
    [pair, language],
  );
  const version = (at: number) => payload.versions[at]?.label ?? "";
  if (pair === null) {
    const why = payload.functions.external[of] === 1 ? "outside the repository" : before < 0 && after < 0 ? "these stacks were read from files" : "neither version's source is in this report";
    return (
      <p class="diff-note" data-state="missing">
        No source: {why}.
      </p>
    );
  }
  return (
    <div class="diff-view" data-state={pair.unchanged ? "unchanged" : pair.before === null ? "added" : pair.after === null ? "removed" : "changed"}>
      <p class="diff-note">{note(pair, version(before), version(after))}</p>
      {form === "split" && !pair.unchanged ? <Split pair={pair} pieces={pieces} labels={[version(before), version(after)]} /> : <Unified pair={pair} pieces={pieces} />}
    </div>
  );
}

interface Pieces {
  before: Piece[][];
  after: Piece[][];
}

const SIGNS: Record<LineKind, string> = { [LineKind.Both]: " ", [LineKind.OnlyBefore]: "−", [LineKind.OnlyAfter]: "+" };
const NAMES: Record<LineKind, string> = { [LineKind.Both]: "kept", [LineKind.OnlyBefore]: "removed", [LineKind.OnlyAfter]: "added" };

function Unified({ pair, pieces }: { pair: SourcePair; pieces: Pieces }) {
  return (
    <div class="lines" tabIndex={0} role="group" aria-label="Unified diff">
      <table>
        <tbody>
          {pair.lines.map((line, at) => (
            <tr key={at} data-line={NAMES[line.kind]}>
              <td class="line-number">{line.before < 0 ? "" : line.before}</td>
              <td class="line-number">{line.after < 0 ? "" : line.after}</td>
              <Code line={line} side={line.kind === 1 ? "before" : "after"} pieces={pieces} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Split({ pair, pieces, labels }: { pair: SourcePair; pieces: Pieces; labels: string[] }) {
  return (
    <div class="lines" data-form="split" tabIndex={0} role="group" aria-label="Side-by-side diff">
      <table>
        <colgroup>
          {labels.map((_, at) => [<col key={`${at}n`} class="line-number" />, <col key={`${at}s`} class="sign" />, <col key={`${at}c`} />])}
        </colgroup>
        <thead>
          <tr>
            {labels.map((label, at) => (
              <th key={at} colSpan={3} scope="colgroup">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sideBySide(pair.lines).map(({ before, after }, at) => (
            <tr key={at}>
              <td class="line-number">{before?.before}</td>
              <Code line={before} side="before" pieces={pieces} />
              <td class="line-number">{after?.after}</td>
              <Code line={after} side="after" pieces={pieces} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Code({ line, side, pieces }: { line: Line | null; side: "before" | "after"; pieces: Pieces }) {
  if (line === null) return <td class="code" colSpan={2} data-line="none" />;
  return (
    <>
      <td class="sign" data-line={NAMES[line.kind]}>
        {SIGNS[line.kind]}
      </td>
      <td class="code" data-line={NAMES[line.kind]}>
        {(pieces[side][line.at[side]] ?? []).map(({ token, text: written }, at) => (token === "" ? written : <span key={at} class={`token ${token}`}>{written}</span>))}
      </td>
    </>
  );
}

function Heading({ payload, of }: { payload: Payload; of: number }) {
  const file = text(payload, payload.functions.file[of]);
  return (
    <>
      <code>
        <span class="dim">{prefix(payload, of)}</span>
        <strong>{ownName(payload, of)}</strong>
      </code>
      {file !== "" && (
        <span class="dim">
          {file}:{payload.functions.line[of]}
        </span>
      )}
    </>
  );
}

function note(pair: SourcePair, before: string, after: string): string {
  if (before === after) return `One version on both sides: ${before}.`;
  if (pair.unchanged) return `Source unchanged from ${before} to ${after}.`;
  if (pair.before === null) return `Not in ${before}, or outside the repository there.`;
  if (pair.after === null) return `No longer in ${after}, or outside the repository there.`;
  const count = (kind: LineKind) => pair.lines.filter((line) => line.kind === kind).length;
  return `${before} → ${after}: −${count(1)} +${count(2)} lines.`;
}

/** The function on the hot path whose source changed, nearest to its end; else the function at its end. */
function suggestion(payload: Payload, blueprint: { hot: number; parent: number[]; function: number[]; changed: (0 | 1)[] }): number {
  for (let node = blueprint.hot; node >= 0; node = blueprint.parent[node]) if (blueprint.changed[node] === 1) return blueprint.function[node];
  const leaf = blueprint.function[blueprint.hot];
  return payload.sources.function.includes(leaf) ? leaf : -1;
}

/** Two columns of eighty characters and their line numbers. */
const WIDE = 1240;

function useIsWide(element: { current: HTMLElement | null }): boolean {
  const [wide, setWide] = useState(false);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWide(entry.contentRect.width >= WIDE));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return wide;
}
