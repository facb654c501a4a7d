// Which direction is the good one: the same answer for every view, whether less or more is better.

import type { Payload } from "./payload";

type Better = Payload["better"];

/** How much worse a change made it; below 0 it is better. */
export function badness(change: number, better: Better): number {
  return better === "less" ? change : -change;
}

export function isWorse(change: number, better: Better): boolean {
  return badness(change, better) > 0;
}

/** The colour of a change that is not 0; what got worse is "slower", whatever the unit. */
export function toneOf(change: number, better: Better): "slower" | "faster" {
  return isWorse(change, better) ? "slower" : "faster";
}

/** The words for worse and better. */
export function worseAndBetter(better: Better): [worse: string, good: string] {
  return better === "less" ? ["slower", "faster"] : ["worse", "better"];
}

/** The signs of worse and better: they say which way a cost went, so that it depends on the unit which of them is the worse one. */
export function signsOf(better: Better): { slower: string; faster: string } {
  return better === "less" ? { slower: "▲", faster: "▼" } : { slower: "▼", faster: "▲" };
}
