// The two texts of a function and the line diff between them, as the payload has them.

import { LineKind, type Payload, type Sources } from "../payload";

/** A line with its number in either file, -1 where that side lacks it. */
export interface Line {
  kind: LineKind;
  before: number;
  after: number;
  /** Position in the text of that side, from 0. */
  at: { before: number; after: number };
}

export interface SourcePair {
  before: string | null;
  after: string | null;
  /** Same text on both sides. */
  unchanged: boolean;
  lines: Line[];
}

/** null where neither side has a source. `before`, `after`: versions, -1 for none. */
export function sourcePair({ sources }: Payload, of: number, before: number, after: number): SourcePair | null {
  const one = textAt(sources, of, before);
  const other = textAt(sources, of, after);
  const was = one === null ? null : sources.texts[one.text];
  const is = other === null ? null : sources.texts[other.text];
  if (was === null && is === null) return null;
  const unchanged = was === is;
  return { before: was, after: is, unchanged, lines: numbered(runs(sources, one, other, was, is), one?.line ?? 1, other?.line ?? 1) };
}

interface Text {
  text: number;
  line: number;
}

/** The latest row at or before a version. */
function textAt(sources: Sources, of: number, version: number): Text | null {
  let row = -1;
  sources.function.forEach((each, at) => {
    if (each === of && sources.version[at] <= version && (row < 0 || sources.version[at] >= sources.version[row])) row = at;
  });
  return row < 0 || sources.text[row] < 0 ? null : { text: sources.text[row], line: sources.line[row] };
}

/** `[kind, count]` pairs. Texts without a diff of their own are wholly removed and wholly added. */
function runs(sources: Sources, one: Text | null, other: Text | null, was: string | null, is: string | null): [LineKind, number][] {
  const length = (text: string | null) => (text === null ? 0 : text.split("\n").length);
  if (was !== null && was === is) return [[LineKind.Both, length(was)]];
  const at = sources.diffs.before.findIndex((each, row) => each === one?.text && sources.diffs.after[row] === other?.text);
  if (at < 0) return [[LineKind.OnlyBefore, length(was)], [LineKind.OnlyAfter, length(is)]];
  const flat = sources.diffs.runs[at];
  return Array.from({ length: flat.length / 2 }, (_, pair) => [flat[2 * pair], flat[2 * pair + 1]]);
}

function numbered(runs: [LineKind, number][], firstBefore: number, firstAfter: number): Line[] {
  const lines: Line[] = [];
  let before = 0;
  let after = 0;
  for (const [kind, count] of runs) {
    for (let line = 0; line < count; line++) {
      const inBefore = kind !== LineKind.OnlyAfter;
      const inAfter = kind !== LineKind.OnlyBefore;
      lines.push({
        kind,
        before: inBefore ? firstBefore + before : -1,
        after: inAfter ? firstAfter + after : -1,
        at: { before: inBefore ? before : -1, after: inAfter ? after : -1 },
      });
      if (inBefore) before++;
      if (inAfter) after++;
    }
  }
  return lines;
}

export interface Row {
  before: Line | null;
  after: Line | null;
}

/** Rows of a side-by-side diff: removed lines stand beside those added in their place. */
export function sideBySide(lines: Line[]): Row[] {
  const rows: Row[] = [];
  let removed: Line[] = [];
  let added: Line[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) rows.push({ before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === LineKind.OnlyBefore) removed.push(line);
    else if (line.kind === LineKind.OnlyAfter) added.push(line);
    else {
      flush();
      rows.push({ before: line, after: line });
    }
  }
  flush();
  return rows;
}
