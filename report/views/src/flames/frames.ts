// The payload's stacks as typed arrays: inclusive values, depths and the ends of subtrees. Knows nothing of pixels.

import type { Flames } from "../payload";

/** Preorder, as in the payload; a frame's subtree is `frame .. end[frame]`. */
export interface Frames {
  count: number;
  parent: Int32Array;
  function: Int32Array;
  end: Int32Array;
  depth: Uint16Array;
  /** Depth of the highest frame; the root's is 0. */
  height: number;
  noise: Uint8Array;
  node: Int32Array;
  /** Cost of the stacks that end in a frame, and of all that pass through it. */
  before: Values;
  after: Values;
}

export interface Values {
  self: Float64Array;
  inclusive: Float64Array;
}

export function frames(payload: Flames): Frames {
  const count = payload.parent.length;
  const parent = new Int32Array(payload.parent);
  const end = new Int32Array(count);
  const depth = new Uint16Array(count);
  let height = 0;
  for (let frame = 0; frame < count; frame++) {
    end[frame] = frame + 1;
    if (frame > 0) depth[frame] = depth[parent[frame]] + 1;
    if (depth[frame] > height) height = depth[frame];
  }
  const before = values(payload.selfBefore);
  const after = values(payload.selfAfter);
  for (let frame = count - 1; frame > 0; frame--) {
    const above = parent[frame];
    if (end[frame] > end[above]) end[above] = end[frame];
    before.inclusive[above] += before.inclusive[frame];
    after.inclusive[above] += after.inclusive[frame];
  }
  return {
    count,
    parent,
    function: new Int32Array(payload.function),
    end,
    depth,
    height,
    noise: new Uint8Array(payload.noise),
    node: new Int32Array(payload.node),
    before,
    after,
  };
}

/** A side that lacks a stack may say 0 or -1. */
function values(given: number[]): Values {
  const self = new Float64Array(given);
  for (let frame = 0; frame < self.length; frame++) if (self[frame] < 0) self[frame] = 0;
  return { self, inclusive: self.slice() };
}

/** From the root to `frame`, both included. */
export function ancestry(frames: Frames, frame: number): number[] {
  const path = [];
  for (let at = frame; at >= 0; at = frames.parent[at]) path.push(at);
  return path.reverse();
}

export function children(frames: Frames, frame: number): number[] {
  const found = [];
  for (let at = frame + 1; at < frames.end[frame]; at = frames.end[at]) found.push(at);
  return found;
}
