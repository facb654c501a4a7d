// Folded boxes in words: what they stand for, and what it comes to.

import { integer, shortenPath } from "../format";
import { ownName } from "../names";
import type { Measure, Payload } from "../payload";
import { kindOfBox } from "./encode";
import type { Drawn } from "./fold";
import type { Tree } from "./tree";
import { difference, isShare, kindInWords } from "./words";

/** Functions that the name of a chain has at most. */
const MOST_NAMED = 4;

/** "main → run → dispatch (3 calls deep)", "and 37 more", "in libraries". */
export function foldName(payload: Payload, tree: Tree, box: Drawn): string {
  const name = foldNameWithin(payload, tree, box, Infinity);
  return box.fold === "chain" ? `${name} (${depthInWords(box)})` : name;
}

/** A chain without its depth, and without what is in its middle where `room`, in characters, is too little. */
export function foldNameWithin(payload: Payload, { blueprint }: Tree, { fold, members }: Drawn, room: number): string {
  if (fold === "rest") return `and ${integer(members.length)} more`;
  if (fold === "libraries") return "in libraries";
  const names = members.map((node) => ownName(payload, blueprint.function[node]));
  const last = names[names.length - 1];
  for (let kept = Math.min(names.length, MOST_NAMED); kept >= 2; kept--) {
    const shortened = kept === names.length ? names : [...names.slice(0, kept - 1), "…", last];
    const name = shortened.join(" → ");
    if (name.length <= room) return name;
  }
  return `… → ${shortenPath(last, room - 4)}`;
}

export function depthInWords({ members }: Drawn): string {
  return `${integer(members.length)} calls deep`;
}

/** "+1.2 k instructions together". */
export function foldAmount(payload: Payload, { fold, h }: Drawn, measure: Measure): string {
  return difference(h, measure, payload.unit) + (fold === "rest" ? " together" : "");
}

/** Whether a source changed, each of them says for itself. */
export function foldKindInWords(payload: Payload, { blueprint }: Tree, box: Drawn, measure: Measure): string {
  return kindInWords(kindOfBox(blueprint, box, measure, payload.better), payload.better).split(", source")[0];
}

/** Number of its members with another source. */
export function changedIn({ blueprint }: Tree, { members }: Drawn): number {
  return members.filter((node) => blueprint.changed[node] === 1).length;
}

/** One line for those who do not see the box. */
export function foldInWords(payload: Payload, tree: Tree, box: Drawn, measure: Measure): string {
  const changed = changedIn(tree, box);
  return [
    foldName(payload, tree, box),
    foldKindInWords(payload, tree, box, measure),
    foldAmount(payload, box, measure) + (isShare(measure) ? " of the total" : ""),
    box.contexts > box.members.length ? `${integer(box.contexts)} contexts` : "",
    changed > 0 ? `source of ${integer(changed)} changed` : "",
    box.hidden > 0 ? `${box.hidden} callees not shown` : "",
    "folded",
  ]
    .filter((part) => part !== "")
    .join(", ");
}
