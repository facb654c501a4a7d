// Versions that are taken together: steps of one component from column to column, held against the column before the first.

import type { Matrix } from "../payload";
import type { Selection } from "../state";

export interface Steps {
  /** Column that they are held against; -1 for the first version, which has none before it. */
  base: number;
  /** The last column. */
  last: number;
}

/** Up to a column: from where the selected pair begins, if the column is where it ends; else the one step to it. */
export function stepsTo(last: number, matrix: Matrix, { benchmark, against, before, after }: Selection): Steps {
  const base = matrix.columns.indexOf(before);
  const isPair = benchmark === matrix.benchmark && against === benchmark && matrix.columns[last] === after;
  return { base: isPair && base >= 0 && base < last ? base : last - 1, last };
}

/** Up to another column, earlier or later. The first version is no step: the others are held against it. */
export function stretched({ base, last }: Steps, to: number): Steps {
  const first = Math.min(base + 1, to);
  const end = to > base ? to : last;
  return { base: Math.max(first - 1, end > 0 ? 0 : -1), last: end };
}

export function isStep({ base, last }: Steps, column: number): boolean {
  return column > base && column <= last;
}

export function areSeveral({ base, last }: Steps): boolean {
  return last - base > 1;
}
