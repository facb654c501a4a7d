// From numbers to boxes: kind and colour (B7), height (B3), width (B4) and border (B8) of a node, and the scales of both.

import { toneOf } from "../better";
import { Measure, NodeKind, type Blueprint, type Payload } from "../payload";
import type { Modes } from "../state";
import type { Drawn } from "./fold";
import { deltaHotPath, type Tree } from "./tree";

/** As the legend and the colours' custom properties are called. */
export type BoxKind = "slower-changed" | "slower" | "faster-changed" | "faster" | "added" | "removed" | "neutral";

/** Pixels of a width of zero (B4), and of a difference too small to see. */
export const ZERO_WIDTH = 5;
export const LEAST_HEIGHT = 5;
/** Pixels of a border; it is drawn outside of the box, whose size says something else. */
export const THICK = 3;
export const THIN = 1;

/** Largest part of a 1280 pixel wide window, and of any window's height, for the boxes of the hot path that a report opens with. */
const WIDEST = 300;
const PATH_HEIGHT = 0.29;
/** A box of the hot path that is taller than this says no more than one of this height. */
const TALLEST = 0.14;
/** Pixels by which one unit of the logarithm widens a box, at most: ten times the calls are then 60 px. */
const WIDEST_LOG = 26;

/** Pixels for one unit of |H| and of W. */
export interface Scale {
  height: number;
  width: number;
}

export function measureOf(modes: Modes): Measure {
  if (modes.scale === "share") return modes.measure === "self" ? Measure.ShareSelf : Measure.ShareInclusive;
  return modes.measure === "self" ? Measure.CostSelf : Measure.CostInclusive;
}

/** New and removed stay so, however small; everything else needs a difference above the noise. */
export function kindOf(blueprint: Blueprint, node: number, measure: Measure, better: Payload["better"]): BoxKind {
  if (blueprint.kind[node] === NodeKind.New) return "added";
  if (blueprint.kind[node] === NodeKind.Removed) return "removed";
  const h = blueprint.h[measure][node];
  if (h === 0 || isNoise(blueprint, node, measure)) return "neutral";
  const tone = toneOf(h, better);
  return blueprint.changed[node] === 1 ? `${tone}-changed` : tone;
}

/** Several contexts together are new or removed if all of them are; whether a source changed, each says for itself. */
export function kindOfBox(blueprint: Blueprint, box: Drawn, measure: Measure, better: Payload["better"]): BoxKind {
  if (box.node >= 0) return kindOf(blueprint, box.node, measure, better);
  if (box.members.every((node) => blueprint.kind[node] === NodeKind.New)) return "added";
  if (box.members.every((node) => blueprint.kind[node] === NodeKind.Removed)) return "removed";
  if (box.h === 0 || box.quiet) return "neutral";
  return toneOf(box.h, better);
}

export function isNoise(blueprint: Blueprint, node: number, measure: Measure): boolean {
  return (blueprint.noise[node] & (1 << measure)) !== 0;
}

/** So that what the report opens with fits, and a box's size compares with every other's in the same picture. */
export function scales(tree: Tree, measure: Measure, windowHeight: number): Scale {
  const { h, w } = tree.blueprint;
  let sum = 0;
  let tallest = 0;
  let widest = 0;
  for (const node of deltaHotPath(tree)) {
    const height = Math.abs(h[measure][node]);
    sum += height;
    tallest = Math.max(tallest, height);
    widest = Math.max(widest, w[node]);
  }
  return {
    height: sum === 0 ? 0 : windowHeight * Math.min(PATH_HEIGHT / sum, TALLEST / tallest),
    width: widest === 0 ? WIDEST_LOG : Math.min(WIDEST_LOG, (WIDEST - ZERO_WIDTH) / widest),
  };
}

export function heightOf({ h }: Drawn, scale: Scale): number {
  return Math.max(LEAST_HEIGHT, Math.abs(h) * scale.height);
}

/** Unknown calls are drawn like equal ones; the tooltip tells them apart. */
export function widthOf({ w }: Drawn, scale: Scale): number {
  return ZERO_WIDTH + Math.max(0, w) * scale.width;
}
