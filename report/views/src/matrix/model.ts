// The contents of the matrix, computed from its payload: visible rows, the steps of the top box, timelines of
// containers, and the dynamic call graph of any row. No drawing.

import type { Matrix, Payload } from "../payload";
import type { Steps } from "./steps";

/** Number of modified functions from which a top box is medium, and large (M4). */
export interface Thresholds {
  medium: number;
  large: number;
}

export const THRESHOLDS: Thresholds = { medium: 5, large: 10 };
/** Share of the time below which a row is hidden (M3). */
export const HIDDEN_BELOW = 0.02;

/** A cost that changed by less has not moved. */
const LEAST_MOVE = 0.005;

export type Step = "none" | "small" | "medium" | "large";

export function stepOf(modified: number, { medium, large }: Thresholds): Step {
  return modified === 0 ? "none" : modified < medium ? "small" : modified < large ? "medium" : "large";
}

/** Depth of a kind in the tree; a package may hold a function without module or type between. */
const RANK = { project: 0, package: 1, module: 2, type: 3, function: 4 };

export class MatrixModel {
  readonly matrix: Matrix;
  readonly count: number;
  readonly depth: number[] = [];
  readonly children: number[][];
  /** Greatest cost of any cell: what a bottom box of full height stands for (M5). */
  readonly greatest: number;
  private readonly rowOfFunction = new Map<number, number>();
  private readonly timelineOf = new Map<number, Map<number, number[]>>();
  private readonly merged = new Map<string, number[] | null>();

  constructor(matrix: Matrix) {
    this.matrix = matrix;
    this.count = matrix.rows.parent.length;
    this.children = matrix.rows.parent.map(() => []);
    matrix.rows.parent.forEach((parent, row) => {
      this.depth.push(parent < 0 ? 0 : this.depth[parent]! + 1);
      if (parent >= 0) this.children[parent]!.push(row);
      if (matrix.rows.function[row]! >= 0) this.rowOfFunction.set(matrix.rows.function[row]!, row);
    });
    this.greatest = matrix.cost.reduce((most, costs) => Math.max(most, ...costs), 0);
    for (const timeline of matrix.timelines) {
      this.timelineOf.set(timeline.column, new Map(timeline.function.map((each, at) => [each, timeline.share[at]!])));
    }
  }

  /** -1 where the function has none. */
  rowOf(func: number): number {
    return this.rowOfFunction.get(func) ?? -1;
  }

  /** Packages outside the project: folded at first, for the reader looks for what is to be mended. None if all are. */
  foreignPackages(payload: Payload): number[] {
    const { kind, function: of } = this.matrix.rows;
    const packages = kind.flatMap((each, row) => (each === "package" ? [row] : []));
    const isForeign = (row: number): boolean => (of[row]! >= 0 ? payload.functions.external[of[row]!] === 1 : this.children[row]!.every(isForeign));
    const foreign = packages.filter(isForeign);
    return foreign.length === packages.length ? [] : foreign;
  }

  isContainer(row: number): boolean {
    return this.children[row]!.length > 0;
  }

  /** M3: executed, and at or above the threshold; of those that moved each time, only these and what holds them. */
  passes(row: number, threshold: number, onlyMoving = false): boolean {
    const share = this.matrix.rows.share[row]!;
    return share > 0 && share >= threshold && (!onlyMoving || this.functionsBelow(row).some((each) => this.movesEachTime(each)));
  }

  /** T1: its source changed in several versions, and its cost with it each time. */
  movesEachTime(row: number): boolean {
    const { modified, change } = this.matrix;
    const columns = modified[row]!.flatMap((count, column) => (count > 0 && column > 0 ? [column] : []));
    return columns.length > 1 && columns.every((column) => Math.abs(change[row]![column] ?? 0) >= LEAST_MOVE);
  }

  /** Rows in sight, in order. */
  visible(collapsed: ReadonlySet<number>, threshold: number, onlyMoving = false): number[] {
    const rows: number[] = [];
    const hiddenBelow = new Set<number>();
    for (let row = 0; row < this.count; row++) {
      const parent = this.matrix.rows.parent[row]!;
      if (hiddenBelow.has(parent) || !this.passes(row, threshold, onlyMoving)) {
        hiddenBelow.add(row);
        continue;
      }
      rows.push(row);
      if (collapsed.has(row)) hiddenBelow.add(row);
    }
    return rows;
  }

  ancestors(row: number): number[] {
    const list: number[] = [];
    for (let at = this.matrix.rows.parent[row]!; at >= 0; at = this.matrix.rows.parent[at]!) list.push(at);
    return list;
  }

  isWithin(row: number, container: number): boolean {
    return row === container || this.ancestors(row).includes(container);
  }

  /** Rows of the functions at or below a row. */
  functionsBelow(row: number): number[] {
    if (this.matrix.rows.function[row]! >= 0) return [row];
    return this.children[row]!.flatMap((child) => this.functionsBelow(child));
  }

  hasTimeline(column: number): boolean {
    return this.timelineOf.has(column);
  }

  frames(column: number): { frames: number; unit: string } | undefined {
    return this.matrix.timelines.find((each) => each.column === column);
  }

  /** Percent of each time frame; of a container the per-frame maximum of its functions (M8). null: none recorded. */
  timeline(row: number, column: number): number[] | null {
    const key = `${row} ${column}`;
    const known = this.merged.get(key);
    if (known !== undefined) return known;
    const recorded = this.timelineOf.get(column);
    const func = this.matrix.rows.function[row]!;
    let result: number[] | null = null;
    if (recorded && func >= 0) result = recorded.get(func) ?? null;
    else if (recorded) {
      for (const child of this.children[row]!) {
        const shares = this.timeline(child, column);
        if (shares) result = shares.map((share, frame) => Math.max(share, result?.[frame] ?? 0));
      }
    }
    this.merged.set(key, result);
    return result;
  }

  /** The dynamic call graph of a row in a column against an earlier one (M9). */
  callGraph(row: number, { base, last }: Steps): CallGraph {
    const { edges, rows } = this.matrix;
    const callers = new Map<string, Neighbour>();
    const callees = new Map<string, Neighbour>();
    const inside = { before: 0, after: 0 };
    const ofSelected = new Set(this.functionsBelow(row).map((each) => rows.function[each]!));
    edges.caller.forEach((caller, edge) => {
      const callee = edges.callee[edge]!;
      const [calls, earlier] = [edges.calls[edge]![last] ?? 0, edges.calls[edge]![base] ?? 0];
      if (calls === 0 && earlier === 0) return;
      const [from, to] = [ofSelected.has(caller), ofSelected.has(callee)];
      if (from && to) {
        inside.before += earlier;
        inside.after += calls;
      } else if (from || to) {
        const [map, other] = from ? [callees, callee] : [callers, caller];
        const neighbour = this.neighbour(other, row);
        const key = `${neighbour.row} ${neighbour.function}`;
        const known = map.get(key) ?? { ...neighbour, before: 0, after: 0 };
        map.set(key, { ...known, before: known.before + earlier, after: known.after + calls });
      }
    });
    const sorted = (map: Map<string, Neighbour>) => [...map.values()].sort((a, b) => Math.max(b.after, b.before) - Math.max(a.after, a.before));
    return { callers: sorted(callers), callees: sorted(callees), inside, first: base < 0 };
  }

  /** Calls between containers are those between their functions: another function stands for its row of the same kind. */
  private neighbour(func: number, beside: number): Pick<Neighbour, "row" | "function"> {
    const { kind, parent } = this.matrix.rows;
    let row = this.rowOf(func);
    if (row < 0) return { row, function: func };
    const rank = RANK[kind[beside]!];
    while (parent[row]! >= 0 && RANK[kind[parent[row]!]!] >= rank) row = parent[row]!;
    return { row, function: this.matrix.rows.function[row]! };
  }
}

export interface Neighbour {
  /** -1 where the matrix has no row for it. */
  row: number;
  /** -1 where it is a container. */
  function: number;
  /** Number of calls in the earlier column and in this one. */
  before: number;
  after: number;
}

export interface CallGraph {
  callers: Neighbour[];
  callees: Neighbour[];
  /** Calls among the row's own functions, recursion included. */
  inside: { before: number; after: number };
  /** There is no earlier column. */
  first: boolean;
}

export type EdgeChange = "added" | "deleted" | "kept";

/** In the first column nothing is new: there is nothing to hold it against. */
export function edgeChange({ before, after }: Neighbour, first: boolean): EdgeChange {
  if (first) return "kept";
  return before === 0 ? "added" : after === 0 ? "deleted" : "kept";
}
