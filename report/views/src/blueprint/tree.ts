// The merged calling context tree as a reader opens it: which nodes are shown, and what showing and hiding do to that.
// A node is shown only if its caller is.

import type { Blueprint, Measure } from "../payload";

export interface Tree {
  blueprint: Blueprint;
  children: number[][];
  depth: number[];
  /** A subtree is `node .. end[node]`. */
  end: number[];
}

export type Shown = ReadonlySet<number>;

/** More boxes than this at once are no picture, and no browser lays them out quickly. */
export const MOST_SHOWN = 1500;

export function tree(blueprint: Blueprint): Tree {
  const count = blueprint.parent.length;
  const children: number[][] = Array.from({ length: count }, () => []);
  const depth = new Array<number>(count).fill(0);
  const end = Array.from({ length: count }, (_, node) => node + 1);
  for (let node = 1; node < count; node++) {
    const parent = blueprint.parent[node];
    children[parent].push(node);
    depth[node] = depth[parent] + 1;
  }
  for (let node = count - 1; node > 0; node--) {
    end[blueprint.parent[node]] = Math.max(end[blueprint.parent[node]], end[node]);
  }
  return { blueprint, children, depth, end };
}

/** From the root to `node`, both included. */
export function pathTo(tree: Tree, node: number): number[] {
  const path = [];
  for (let at = node; at >= 0; at = tree.blueprint.parent[at]) path.push(at);
  return path.reverse();
}

/** B9: what is shown at first. `end`: its last context. */
export function deltaHotPath(tree: Tree, end = tree.blueprint.hot): Shown {
  return new Set(pathTo(tree, end));
}

export function showPath(tree: Tree, shown: Shown, node: number): Shown {
  return new Set([...shown, ...pathTo(tree, node)]);
}

/** Those with the largest differences, where `MOST_SHOWN` leaves no room for all. */
export function showChildren(tree: Tree, shown: Shown, node: number, measure: Measure): Shown {
  const h = tree.blueprint.h[measure];
  const missing = tree.children[node].filter((child) => !shown.has(child));
  missing.sort((one, other) => Math.abs(h[other]) - Math.abs(h[one]) || one - other);
  return new Set([...shown, ...missing.slice(0, Math.max(0, MOST_SHOWN - shown.size))]);
}

/** The nodes below that are not shown; `isClosed` of a node leaves out those below it. */
export function hiddenBelow(tree: Tree, shown: Shown, node: number, isClosed: (node: number) => boolean): number[] {
  const below = [];
  for (let at = node + 1; at < tree.end[node]; at = isClosed(at) ? tree.end[at] : at + 1) if (!shown.has(at)) below.push(at);
  return below;
}

/** Those of `hiddenBelow` with the largest differences first, until `MOST_SHOWN` are shown. */
export function showAllBelow(tree: Tree, shown: Shown, node: number, measure: Measure, isClosed: (node: number) => boolean): Shown {
  const below = hiddenBelow(tree, shown, node, isClosed);
  if (shown.size + below.length <= MOST_SHOWN) return new Set([...shown, ...below]);
  const h = tree.blueprint.h[measure];
  below.sort((one, other) => Math.abs(h[other]) - Math.abs(h[one]) || one - other);
  const now = new Set(shown);
  for (const at of below) {
    if (now.size === MOST_SHOWN) break;
    const missing = [];
    for (let up = at; !now.has(up); up = tree.blueprint.parent[up]) missing.push(up);
    if (now.size + missing.length <= MOST_SHOWN) for (const one of missing) now.add(one);
  }
  return now;
}

export function hideAllBelow(tree: Tree, shown: Shown, node: number): Shown {
  return new Set([...shown].filter((at) => at <= node || at >= tree.end[node]));
}

/** B8: whether children of it are not shown. */
export function hasHidden(tree: Tree, shown: Shown, node: number): boolean {
  return tree.children[node].some((child) => !shown.has(child));
}

export function hasShown(tree: Tree, shown: Shown, node: number): boolean {
  return tree.children[node].some((child) => shown.has(child));
}

/** The shown nodes, callers before what they call. */
export function inOrder(shown: Shown): number[] {
  return [...shown].sort((one, other) => one - other);
}
