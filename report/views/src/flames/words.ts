// The values of frames in words: values signed, with unit and percentage, and the legend's sentences.

import { compact, cost, share, shares, signedShare } from "../format";
import type { Frames } from "./frames";
import { type GraphName, kind, measure, type Mode, type GraphSet, value } from "./graphs";

/** "495 ms (52.5%)"; in the difference "+200 ms (+25.0%)". */
export function valueInWords(frames: Frames, set: GraphSet, graph: GraphName, frame: number, unit: string): string {
  const amount = value(frames, set, graph, frame);
  if (graph === "diff") return changeInWords(set.mode, value(frames, set, "before", frame), value(frames, set, "after", frame), unit);
  // A total multiplied with its reciprocal is not always one.
  if (set.mode.share) return share(Number(amount.toFixed(12)));
  const total = frames[graph].inclusive[0] * set.scale[graph];
  return `${cost(amount, unit)}${total > 0 ? ` (${share(amount / total)})` : ""}`;
}

function changeInWords(mode: Mode, before: number, after: number, unit: string): string {
  const difference = after - before;
  const relative = before > 0 && after !== before ? signedShare(difference / before) : "";
  if (mode.share) return shares(before, after);
  const amount = `${difference > 0 ? "+" : difference === 0 ? "±" : ""}${compact(difference)} ${unit}`;
  return relative === "" ? amount : `${amount} (${relative})`;
}

export function isNoise(frames: Frames, set: GraphSet, frame: number): boolean {
  return (frames.noise[frame] & (1 << measure(set.mode))) !== 0;
}

/** "grew, source changed"; of the frame, so the same in all three graphs. */
export function stateInWords(frames: Frames, set: GraphSet, frame: number, isChanged: boolean): string {
  const difference = value(frames, set, "diff", frame);
  const how = kind(frames, frame);
  const direction =
    how === "new" ? "new" : how === "removed" ? "removed" : isNoise(frames, set, frame) ? "within noise" : difference > 0 ? "grew" : difference < 0 ? "shrank" : "unchanged";
  const noisy = how !== "both" && isNoise(frames, set, frame) ? ", within noise" : "";
  return `${direction}${noisy}${isChanged ? ", source changed" : ""}`;
}

/** D5 and D6. `before`: what that side is called. */
export function widthsInWords(mode: Mode, unit: string, before: string): string {
  const values = mode.share ? `in % of ${mode.normalised ? "each side's own total" : `the total of ${before}`}` : `in ${unit}`;
  const totals = mode.normalised ? "both totals are scaled to the same" : "both sides in one scale";
  const diff = mode.original ? "the difference has the widths of “after”, without stacks whose last function is unchanged" : "the width of the difference is its size";
  return `Widths: ${totals}; ${diff}. Colours compare ${mode.self ? "self" : "inclusive"} costs, values are ${values}.`;
}
