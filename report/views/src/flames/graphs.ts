// The three graphs of a set (D2): where each frame lies, how wide it is and how strongly it differs, for one mode.
// Widths are fractions of a graph's full width, so a zoom needs no new layout.

import { Measure } from "../payload";
import type { Frames } from "./frames";

export const GRAPHS = ["before", "after", "diff"] as const;
export type GraphName = (typeof GRAPHS)[number];

export interface Mode {
  /** Compare own costs, not inclusive ones. */
  self: boolean;
  /** Values are shares: of the total of "before", so that they compare like costs, or of each side's own if normalised. */
  share: boolean;
  /** Scale both sides to the same total (D6). */
  normalised: boolean;
  /** Draw the differences as the paper's tool does: widths of "after", stacks with an unchanged leaf dropped (D5). */
  original: boolean;
}

/** Number of colour steps of a difference in each direction. */
export const STEPS = 8;

export interface Graph {
  left: Float64Array;
  width: Float64Array;
}

export interface GraphSet {
  mode: Mode;
  /** Factor from the costs of a side to its values. */
  scale: { before: number; after: number };
  graphs: Record<GraphName, Graph>;
  /** Change from before to after, -STEPS to STEPS; 0 is unchanged, or noise. */
  step: Int8Array;
  /** The largest change of value of any frame, which has the darkest colour. */
  largest: number;
}

export function measure(mode: Mode): Measure {
  if (mode.normalised) return mode.self ? Measure.ShareSelf : Measure.ShareInclusive;
  return mode.self ? Measure.CostSelf : Measure.CostInclusive;
}

export function graphs(frames: Frames, mode: Mode): GraphSet {
  const totals = { before: frames.before.inclusive[0] ?? 0, after: frames.after.inclusive[0] ?? 0 };
  const scale = scales(totals, mode);
  const common = Math.max(totals.before * scale.before, totals.after * scale.after);
  const { step, largest } = steps(frames, mode, scale);
  return {
    mode,
    scale,
    graphs: {
      before: lay(frames, frames.before.inclusive, common === 0 ? 0 : scale.before / common),
      after: lay(frames, frames.after.inclusive, common === 0 ? 0 : scale.after / common),
      diff: differences(frames, mode, scale),
    },
    step,
    largest,
  };
}

function scales({ before, after }: { before: number; after: number }, mode: Mode): { before: number; after: number } {
  const part = (total: number) => (total > 0 ? 1 / total : 0);
  if (mode.share && mode.normalised) return { before: part(before), after: part(after) };
  if (mode.share) return { before: part(before || after), after: part(before || after) };
  // The newer side's figures stay as they were measured.
  if (mode.normalised && before > 0 && after > 0) return { before: after / before, after: 1 };
  return { before: 1, after: 1 };
}

/** Children stand side by side from their parent's left edge; what the parent costs itself is left over at its right. */
function lay(frames: Frames, inclusive: Float64Array, scale: number): Graph {
  const left = new Float64Array(frames.count);
  const width = new Float64Array(frames.count);
  const next = new Float64Array(frames.count);
  for (let frame = 0; frame < frames.count; frame++) {
    width[frame] = inclusive[frame] * scale;
    if (frame > 0) {
      const parent = frames.parent[frame];
      left[frame] = next[parent];
      next[parent] += width[frame];
    }
    next[frame] = left[frame];
  }
  return { left, width };
}

/** A stack is as wide as it differs, or as "after" has it; one that differs by noise only is not drawn. */
function differences(frames: Frames, mode: Mode, scale: { before: number; after: number }): Graph {
  const bit = 1 << measure({ ...mode, self: true });
  const width = new Float64Array(frames.count);
  for (let frame = 0; frame < frames.count; frame++) {
    if (frames.noise[frame] & bit) continue;
    const after = frames.after.self[frame] * scale.after;
    const difference = Math.abs(after - frames.before.self[frame] * scale.before);
    width[frame] = mode.original ? (difference > 0 ? after : 0) : difference;
  }
  for (let frame = frames.count - 1; frame > 0; frame--) width[frames.parent[frame]] += width[frame];
  const total = width[0] ?? 0;
  return lay(frames, width, total > 0 ? 1 / total : 0);
}

function steps(frames: Frames, mode: Mode, scale: { before: number; after: number }): { step: Int8Array; largest: number } {
  const before = mode.self ? frames.before.self : frames.before.inclusive;
  const after = mode.self ? frames.after.self : frames.after.inclusive;
  const bit = 1 << measure(mode);
  const change = new Float64Array(frames.count);
  let largest = 0;
  for (let frame = 0; frame < frames.count; frame++) {
    if (frames.noise[frame] & bit) continue;
    change[frame] = after[frame] * scale.after - before[frame] * scale.before;
    largest = Math.max(largest, Math.abs(change[frame]));
  }
  const step = new Int8Array(frames.count);
  for (let frame = 0; frame < frames.count; frame++) {
    if (change[frame] === 0) continue;
    // The root of the part: callers sum up what their callees change, and leave only the lightest step for most of them.
    const part = Math.sqrt(Math.abs(change[frame]) / largest);
    step[frame] = Math.sign(change[frame]) * Math.max(1, Math.round(part * STEPS));
  }
  return { step, largest };
}

/** Value of a frame in a graph: its cost on a side; in the difference, the cost that was added or removed. */
export function value(frames: Frames, set: GraphSet, graph: GraphName, frame: number): number {
  const before = (set.mode.self ? frames.before.self : frames.before.inclusive)[frame] * set.scale.before;
  const after = (set.mode.self ? frames.after.self : frames.after.inclusive)[frame] * set.scale.after;
  return graph === "before" ? before : graph === "after" ? after : after - before;
}

/** Step of colour in a graph: that of "before" says what reverting would do (D4). */
export function tone(set: GraphSet, graph: GraphName, frame: number): number {
  return graph === "before" ? 0 - set.step[frame] : set.step[frame];
}

export type FrameKind = "both" | "new" | "removed";

export function kind(frames: Frames, frame: number): FrameKind {
  if (frames.before.inclusive[frame] === 0 && frames.after.inclusive[frame] > 0) return "new";
  if (frames.after.inclusive[frame] === 0 && frames.before.inclusive[frame] > 0) return "removed";
  return "both";
}
