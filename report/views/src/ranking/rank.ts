// The stacks of a pair by how much they changed: the textual ranking beside the graphs (Bezemer et al., Table I).

import { badness } from "../better";
import { Measure, type Payload } from "../payload";
import { ancestry, type Frames } from "../flames/frames";

export interface RankedStack {
  frame: number;
  /** Functions from the root on. */
  path: number[];
  before: number;
  after: number;
  /** Signed, of what ends in the stack's last function. */
  difference: number;
}

/** Stacks whose own cost differs by more than noise, the worst first. */
export function ranking(frames: Frames, better: Payload["better"]): RankedStack[] {
  const ranked: RankedStack[] = [];
  for (let frame = 0; frame < frames.count; frame++) {
    const [before, after] = [frames.before.self[frame]!, frames.after.self[frame]!];
    if (before === after || (frames.noise[frame]! & (1 << Measure.CostSelf)) !== 0) continue;
    ranked.push({ frame, path: ancestry(frames, frame).map((at) => frames.function[at]!), before, after, difference: after - before });
  }
  return ranked.sort((a, b) => badness(b.difference - a.difference, better) || a.frame - b.frame);
}
