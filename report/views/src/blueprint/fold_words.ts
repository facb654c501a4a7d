// Folded boxes in words: what they stand for, and what it comes to.

import { integer } from "../format";
import { ownName } from "../names";
import type { Measure, Payload } from "../payload";
import { kindOfBox } from "./encode";
import type { Drawn } from "./fold";
import type { Tree } from "./tree";
import { difference, isShare, kindInWords } from "./words";

/** Functions that the name of a chain has at most. */
const MOST_NAMED = 4;

/**
 * "main → run → dispatch (3 calls deep)", "and 37 more", "in libraries". `room`: characters, in which a chain leaves out
 * what is in the middle.
 */
export function foldName(payload: Payload, { blueprint }: Tree, { fold, members }: Drawn, room = Infinity): string {
  if (fold === "rest") return `and ${integer(members.length)} more`;
  if (fold === "libraries") return "in libraries";
  const names = members.map((node) => ownName(payload, blueprint.function[node]));
  const deep = ` (${names.length} calls deep)`;
  const fits = (kept: string[]) => kept.join(" → ").length + deep.length <= room;
  for (let kept = Math.min(names.length, MOST_NAMED); kept >= 2; kept--) {
    const shortened = kept === names.length ? names : [...names.slice(0, kept - 1), "…", names[names.length - 1]];
    if (fits(shortened)) return shortened.join(" → ") + deep;
  }
  return fits(["…", names[names.length - 1]]) ? `… → ${names[names.length - 1]}${deep}` : `${names.length} calls deep`;
}

/** "+1.2 k instructions together". */
export function foldAmount(payload: Payload, { fold, h }: Drawn, measure: Measure): string {
  return difference(h, measure, payload.unit) + (fold === "rest" ? " together" : "");
}

/** One line for those who do not see the box. */
export function foldInWords(payload: Payload, tree: Tree, box: Drawn, measure: Measure): string {
  return [
    foldName(payload, tree, box),
    kindInWords(kindOfBox(tree.blueprint, box, measure, payload.better), payload.better),
    foldAmount(payload, box, measure) + (isShare(measure) ? " of the total" : ""),
    box.contexts > box.members.length ? `${integer(box.contexts)} contexts` : "",
    box.hidden > 0 ? `${box.hidden} callees not shown` : "",
    "folded",
  ]
    .filter((part) => part !== "")
    .join(", ");
}
