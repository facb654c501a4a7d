// The node of a merged tree that the page's selection means. No index of the tree is needed: preorder is enough.

import type { Blueprint } from "../payload";
import type { Selection } from "../state";

/** Where only a function is selected, its context that varies most. -1 where there is none. */
export function selectedNode(blueprint: Blueprint, selection: Pick<Selection, "function" | "path">): number {
  if (selection.path.length > 0) return nodeAt(blueprint, selection.path);
  let best = -1;
  if (selection.function < 0) return best;
  const variation = blueprint.h[0];
  blueprint.function.forEach((of, node) => {
    if (of === selection.function && (best < 0 || Math.abs(variation[node]) > Math.abs(variation[best]))) best = node;
  });
  return best;
}

/** `path`: functions from the root on. */
function nodeAt({ parent, function: functions }: Blueprint, path: number[]): number {
  if (path[0] !== functions[0]) return -1;
  let node = 0;
  for (const of of path.slice(1)) {
    let child = node + 1;
    while (child < parent.length && !(parent[child] === node && functions[child] === of)) child++;
    if (child === parent.length) return -1;
    node = child;
  }
  return node;
}

/** Functions from the root to `node`. */
export function pathOf(blueprint: Blueprint, node: number): number[] {
  const path = [];
  for (let at = node; at >= 0; at = blueprint.parent[at]) path.push(blueprint.function[at]);
  return path.reverse();
}
