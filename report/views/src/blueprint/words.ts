// A node in words: its kind, its numbers signed and with units, a sentence about the delta hot path.

import { signsOf, worseAndBetter } from "../better";
import { compact, integer, points, share, shares, signedShare } from "../format";
import { ownName, typeName } from "../names";
import { type Blueprint, Measure, NodeKind, type Payload } from "../payload";
import { type BoxKind, isNoise, kindOf } from "./encode";
import { pathTo, type Tree } from "./tree";

/** A sign beside the colour. */
export function glyph(kind: BoxKind, better: Payload["better"]): string {
  const { slower, faster } = signsOf(better);
  const glyphs: Record<BoxKind, string> = { "slower-changed": slower, slower, "faster-changed": faster, faster, added: "+", removed: "−", neutral: "" };
  return glyphs[kind];
}

/** If more is better, growth is not a slowdown; the colours keep their meaning. */
export function kindInWords(kind: BoxKind, better: Payload["better"]): string {
  const [worse, good] = worseAndBetter(better);
  const words: Record<BoxKind, string> = {
    "slower-changed": `${worse}, source changed`,
    slower: `${worse}, source unchanged`,
    "faster-changed": `${good}, source changed`,
    faster: `${good}, source unchanged`,
    added: "new in this context",
    removed: "removed from this context",
    neutral: "no difference beyond noise",
  };
  return words[kind];
}

export function isShare(measure: Measure): boolean {
  return measure === Measure.ShareInclusive || measure === Measure.ShareSelf;
}

/** "+6.8 points" of shares, "+1.23 M instructions" of costs. */
export function difference(h: number, measure: Measure, unit: string): string {
  return isShare(measure) ? points(h) : `${signed(h, compact)} ${unit}`;
}

/** "+200 (+50%)"; "unknown" where a side is not known. */
export function callsDifference(before: number, after: number): string {
  const change = after - before;
  return before > 0 && change !== 0 ? `${signed(change, integer)} (${signedShare(change / before)})` : signed(change, integer);
}

export function signed(value: number, format: (value: number) => string): string {
  return `${value > 0 ? "+" : value === 0 ? "±" : ""}${format(value)}`;
}

/** "2× as many calls", "+1 call", "as many calls"; "" where they are not known. */
export function callsInWords(before: number, after: number): string {
  if (before < 0 && after < 0) return "";
  if (before < 0) return `${integer(after)} ${after === 1 ? "call" : "calls"}`;
  if (after < 0) return `${signed(-before, integer)} ${before === 1 ? "call" : "calls"}`;
  if (before === after) return "as many calls";
  const ratio = before > 0 ? after / before : 0;
  if (ratio >= 1.95) return `${ratio >= 10 ? integer(ratio) : Number(ratio.toFixed(1))}× as many calls`;
  const change = after - before;
  return `${signed(change, integer)} ${Math.abs(change) === 1 ? "call" : "calls"}`;
}

/** The meaning of heights (B3), for the legend. */
export function heightInWords(measure: Measure, unit: string): string {
  const kind = measure === Measure.ShareSelf || measure === Measure.CostSelf ? "self" : "inclusive";
  return isShare(measure) ? `difference of the ${kind} share of the total` : `difference of the ${kind} cost in ${unit}`;
}

/** One line for those who do not see the box. */
export function nodeInWords(payload: Payload, tree: Tree, node: number, measure: Measure, hidden: number): string {
  const { blueprint } = tree;
  const of = blueprint.function[node];
  const type = typeName(payload, of);
  const parts = [
    ownName(payload, of) + (type === "" ? "" : ` of ${type}`),
    kindInWords(kindOf(blueprint, node, measure, payload.better), payload.better),
    `${difference(blueprint.h[measure][node], measure, payload.unit)}${isShare(measure) ? " of the total" : ""}`,
    callsInWords(blueprint.callsBefore[node], blueprint.callsAfter[node]),
    isNoise(blueprint, node, measure) ? "within noise" : "",
    blueprint.changed[node] === 1 ? "source changed" : "",
    blueprint.estimated[node] === 1 ? "calls estimated" : "",
    hidden > 0 ? `${hidden} callees not shown` : "",
  ];
  return parts.filter((part, at) => part !== "" && !(part === "source changed" && parts[1].includes(part)) && parts.indexOf(part) === at).join(", ");
}

/** The sentence about the hot path; `leaf` is its subject, `changed` follows "below". */
export interface HotPathInWords {
  kind: BoxKind;
  leaf: number;
  says: string;
  /** The nearest function on the path, from the leaf upwards, whose source changed; -1 where there is none. */
  changed: number;
}

/** `node`: its last context. */
export function hotPathInWords(payload: Payload, tree: Tree, measure: Measure, node = tree.blueprint.hot): HotPathInWords {
  const { blueprint } = tree;
  const kind = kindOf(blueprint, node, measure, payload.better);
  const h = blueprint.h[measure][node];
  const amount = isShare(measure) ? shareInWords(blueprint, node, measure) : difference(h, measure, payload.unit);
  const calls = callsInWords(blueprint.callsBefore[node], blueprint.callsAfter[node]);
  const [worse, good] = worseAndBetter(payload.better);
  const verdict: Record<BoxKind, string> = {
    "slower-changed": `is ${worse} here`,
    slower: `is ${worse} here`,
    "faster-changed": `is ${good} here`,
    faster: `is ${good} here`,
    added: "is new here",
    removed: "is gone from here",
    neutral: "varies most, but not beyond noise",
  };
  const path = pathTo(tree, node).reverse();
  return {
    kind,
    leaf: blueprint.function[node],
    says: kind === "neutral" && h === 0 ? "costs the same, and so does all that it calls" : `${verdict[kind]}: ${amount}${calls === "" ? "" : `, ${calls}`}`,
    changed: blueprint.function[path.find((at) => blueprint.changed[at] === 1) ?? -1] ?? -1,
  };
}

/** Of a node that is on one side alone, H is less what its callees cost on the other: only the difference is said. */
function shareInWords(blueprint: Blueprint, node: number, measure: Measure): string {
  if (blueprint.kind[node] !== NodeKind.Both) return `${points(blueprint.h[measure][node])} of the total`;
  const isSelf = measure === Measure.ShareSelf;
  const [before, after] = isSelf ? [blueprint.selfBefore, blueprint.selfAfter] : [blueprint.before, blueprint.after];
  return shares(before[node] / blueprint.before[0], after[node] / blueprint.after[0]);
}

/** Both sides of a cost and their difference, as cells. */
export function costCells(before: number, after: number, unit: string): [string, string, string] {
  const write = (value: number) => (value < 0 ? "–" : `${compact(value)} ${unit}`);
  const change = Math.max(0, after) - Math.max(0, before);
  const relative = before > 0 && after >= 0 ? ` (${signedShare(change / before)})` : "";
  return [write(before), write(after), `${signed(change, compact)} ${unit}${relative}`];
}

export function shareCells(before: number, after: number, totals: { before: number; after: number }): [string, string, string] {
  const part = (value: number, total: number) => (total > 0 ? Math.max(0, value) / total : 0);
  const write = (value: number, total: number) => (value < 0 ? "–" : share(part(value, total)));
  return [write(before, totals.before), write(after, totals.after), points(part(after, totals.after) - part(before, totals.before))];
}

export function callsCells(before: number, after: number, kind: 0 | 1 | 2): [string, string, string] {
  const absent = (side: 1 | 2) => kind === (side === 1 ? 1 : 2);
  const write = (value: number, side: 1 | 2) => (absent(side) ? "–" : value < 0 ? "unknown" : integer(value));
  const known = (absent(1) || before >= 0) && (absent(2) || after >= 0);
  return [write(before, 1), write(after, 2), known ? callsDifference(Math.max(0, before), Math.max(0, after)) : "unknown"];
}
