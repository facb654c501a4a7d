// Keyword search (D8): which frames have a word in their function's name, and what share of each side runs in them.

import type { Frames } from "./frames";

export interface Matches {
  query: string;
  /** 1 for a frame that matches. */
  mask: Uint8Array;
  frames: number[];
  /** Part of each side's total under a match, stacks counted once. */
  share: { before: number; after: number };
}

/** `nameOf` a function; upper and lower case are the same. */
export function search(frames: Frames, query: string, nameOf: (of: number) => string): Matches | null {
  const word = query.trim().toLowerCase();
  if (word === "") return null;
  const known = new Map<number, boolean>();
  const hit = (of: number) => {
    let is = known.get(of);
    if (is === undefined) known.set(of, (is = nameOf(of).toLowerCase().includes(word)));
    return is;
  };
  const mask = new Uint8Array(frames.count);
  const found = [];
  let covered = 0;
  let before = 0;
  let after = 0;
  for (let frame = 0; frame < frames.count; frame++) {
    if (!hit(frames.function[frame])) continue;
    mask[frame] = 1;
    found.push(frame);
    if (frame < covered) continue;
    covered = frames.end[frame];
    before += frames.before.inclusive[frame];
    after += frames.after.inclusive[frame];
  }
  const part = (value: number, total: number) => (total > 0 ? value / total : 0);
  return {
    query: word,
    mask,
    frames: found,
    share: { before: part(before, frames.before.inclusive[0]), after: part(after, frames.after.inclusive[0]) },
  };
}
