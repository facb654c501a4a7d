// From the contexts that are shown to the boxes that are drawn: siblings by what they changed, and three folds that keep
// a large tree readable. A pure function of its arguments; what the reader unfolds are contexts that it must not fold.
//
// A box of libraries stands for whole subtrees, shown or not; any other box stands for shown contexts alone.

import { Measure, NodeKind } from "../payload";
import { isNoise } from "./encode";
import { inOrder, type Shown, type Tree } from "./tree";

/**
 * A run of contexts that each only call the next; the siblings that explain little; what libraries do for their caller
 * in the project.
 */
export type Fold = "chain" | "rest" | "libraries";

/** One box of the drawing: a context, or several that are folded into one. */
export interface Drawn {
  /** A context's own number; of a chain that of its first. The other folds have numbers beyond all contexts. */
  id: number;
  fold: Fold | null;
  /** The contexts in it: one alone; those of a chain from first to last; the topmost ones of other folds, largest difference first. */
  members: number[];
  /** Whose kind it has: of a chain the context that differs most, of other folds -1. */
  node: number;
  /** Number of contexts that it stands for. */
  contexts: number;
  /** As in `Blueprint`; of siblings together the sum. */
  h: number;
  w: number;
  /** Nothing that it stands for differs beyond noise. */
  quiet: boolean;
  /** Callees of its last context that are neither shown nor in a box of libraries. */
  hidden: number;
  /** `id` of the box above, -1 of the root. */
  parent: number;
  level: number;
  /** Position among its siblings. */
  position: number;
  children: Drawn[];
}

export interface Drawing {
  /** In preorder, as they are drawn from left to right: the order of the keyboard. */
  boxes: Drawn[];
  byId: ReadonlyMap<number, Drawn>;
  /** The box that a shown context is in. */
  boxOf: (node: number) => Drawn;
  /** Number of shown contexts without a box of their own. */
  folded: number;
}

export interface FoldOptions {
  measure: Measure;
  /** As `foreign` gives it; null where libraries are not folded. */
  foreign: Uint8Array | null;
  /** Siblings of equal differences are in the order of these. */
  nameOf: (node: number) => string;
  /** Contexts that are in no fold, and neither are their callers in one of siblings. */
  kept: Iterable<number>;
}

/** So many siblings have boxes of their own. */
export const MOST_SIBLINGS = 12;
/** Of the largest sibling's difference; what is smaller, and within noise, explains nothing. */
export const LITTLE = 0.01;
/** Fewer siblings, or a shorter run, are no easier to read as one. */
export const LEAST_FOLDED = 3;

/** 1 for each context whose function, and every function below, is outside of the project. `external`: by function. */
export function foreign(tree: Tree, external: ArrayLike<number>): Uint8Array {
  const { parent, function: functions } = tree.blueprint;
  const is = Uint8Array.from(functions, (of) => (external[of] === 1 ? 1 : 0));
  for (let node = parent.length - 1; node > 0; node--) if (is[node] === 0) is[parent[node]] = 0;
  return is;
}

/** Where a hot path ends if libraries are folded: at the last function of the project below `from`, else at its leaf. */
export function hotEnd(tree: Tree, external: ArrayLike<number>, leaf: number, from = -1): number {
  const { function: functions, parent } = tree.blueprint;
  for (let node = leaf; node > from; node = parent[node]) if (external[functions[node]] !== 1) return node;
  return leaf;
}

export function fold(tree: Tree, shown: Shown, options: FoldOptions): Drawing {
  const folder = new Folder(tree, shown, options);
  folder.draw(0, -1, 0, 0);
  return folder.drawing();
}

/** Of a shown context and the shown ones below it. */
interface Subtree {
  count: number;
  /** Largest difference. */
  peak: number;
  self: number;
  /** Neither beyond noise, nor new, removed or with another source. */
  quiet: boolean;
}

class Folder {
  private readonly kept: ReadonlySet<number>;
  /** The kept contexts with all that lead to them. */
  private readonly needed = new Set<number>();
  private readonly below = new Map<number, Subtree>();
  private readonly boxes: Drawn[] = [];
  private readonly byId = new Map<number, Drawn>();
  private readonly standsFor = new Map<number, Drawn>();
  private readonly h: number[];
  /** The measure of the same scale that callees have no part in. */
  private readonly own: Measure;

  constructor(
    private readonly tree: Tree,
    private readonly shown: Shown,
    private readonly options: FoldOptions,
  ) {
    const { measure } = options;
    this.kept = new Set(options.kept);
    this.h = tree.blueprint.h[measure];
    this.own = measure === Measure.ShareInclusive || measure === Measure.ShareSelf ? Measure.ShareSelf : Measure.CostSelf;
    for (const node of this.kept) {
      if (!shown.has(node)) continue;
      for (let at = node; at >= 0 && !this.needed.has(at); at = tree.blueprint.parent[at]) this.needed.add(at);
    }
    this.sumUp();
  }

  drawing(): Drawing {
    const { boxes, byId, standsFor, tree, shown } = this;
    const boxOf = (node: number) => {
      let at = node;
      while (!standsFor.has(at)) at = tree.blueprint.parent[at];
      return standsFor.get(at)!;
    };
    return { boxes, byId, boxOf, folded: shown.size - boxes.filter(({ fold }) => fold === null).length };
  }

  /** Draws what is below, too. */
  draw(node: number, parent: number, level: number, position: number): Drawn {
    const run = this.runFrom(node);
    const last = run[run.length - 1];
    const foreigners = new Set(this.foreignersOf(last));
    const callees = this.tree.children[last].filter((child) => !foreigners.has(child));
    const box = this.place({
      ...(run.length === 1 ? this.context(node) : this.chain(run)),
      hidden: callees.filter((child) => !this.shown.has(child)).length,
      parent,
      level,
      position,
      children: [],
    });
    const [alone, rest] = this.parted(callees.filter((child) => this.shown.has(child)));
    const entries: { h: number; name: string; node: number }[] = alone.map((child) => ({ h: Math.abs(this.h[child]), name: this.options.nameOf(child), node: child }));
    const library = foreigners.size > 0 ? this.together("libraries", last, [...foreigners]) : null;
    if (library !== null) entries.push({ h: Math.abs(library.h), name: "", node: -1 });
    entries.sort((one, other) => other.h - one.h || compare(one.name, other.name) || one.node - other.node);
    for (const [at, entry] of entries.entries()) {
      box.children.push(entry.node >= 0 ? this.draw(entry.node, box.id, level + 1, at) : this.place({ ...library!, parent: box.id, level: level + 1, position: at }));
    }
    if (rest.length > 0) box.children.push(this.place({ ...this.together("rest", last, rest), parent: box.id, level: level + 1, position: entries.length }));
    return box;
  }

  private place(box: Drawn): Drawn {
    this.boxes.push(box);
    this.byId.set(box.id, box);
    for (const member of box.members) this.standsFor.set(member, box);
    return box;
  }

  /** `node` alone, or with those that a chain draws with it. */
  private runFrom(node: number): number[] {
    const run = [];
    for (let at = node; this.isLink(at); at = this.tree.children[at][0]) {
      run.push(at);
      if (!this.shown.has(this.tree.children[at][0])) break;
    }
    return run.length >= LEAST_FOLDED ? run : [node];
  }

  /** A context that has one callee, and no part in any difference itself. */
  private isLink(node: number): boolean {
    const { blueprint, children } = this.tree;
    return (
      children[node].length === 1 &&
      blueprint.kind[node] === NodeKind.Both &&
      blueprint.changed[node] === 0 &&
      !this.kept.has(node) &&
      (blueprint.h[this.own][node] === 0 || isNoise(blueprint, node, this.own))
    );
  }

  /** The callees of a function of the project that are in libraries; none if none of them is shown, or one alone, which says more by its name. */
  private foreignersOf(node: number): number[] {
    const is = this.options.foreign;
    if (is === null || is[node] === 1) return [];
    const found = this.tree.children[node].filter((child) => is[child] === 1 && !this.needed.has(child));
    const contexts = found.reduce((sum, child) => sum + this.tree.end[child] - child, 0);
    return contexts > 1 && found.some((child) => this.shown.has(child)) ? found : [];
  }

  /** Siblings that have boxes of their own, and those that are one together. */
  private parted(siblings: number[]): [alone: number[], rest: number[]] {
    if (siblings.length < LEAST_FOLDED) return [siblings, []];
    const peak = (node: number) => this.below.get(node)!.peak;
    const { nameOf } = this.options;
    const ranked = [...siblings].sort((one, other) => peak(other) - peak(one) || compare(nameOf(one), nameOf(other)) || one - other);
    const little = LITTLE * peak(ranked[0]);
    const rest = ranked.filter((node, at) => !this.needed.has(node) && (at >= MOST_SIBLINGS || (this.below.get(node)!.quiet && peak(node) <= little)));
    if (rest.length < LEAST_FOLDED) return [siblings, []];
    const isRest = new Set(rest);
    return [siblings.filter((node) => !isRest.has(node)), rest];
  }

  private context(node: number): Omit<Drawn, "hidden" | "parent" | "level" | "position" | "children"> {
    const { w } = this.tree.blueprint;
    return { id: node, fold: null, members: [node], node, contexts: 1, h: this.h[node], w: w[node], quiet: isQuiet(this.tree, node, this.options.measure) };
  }

  private chain(run: number[]): ReturnType<Folder["context"]> {
    const { w } = this.tree.blueprint;
    const node = run.reduce((best, each) => (Math.abs(this.h[each]) > Math.abs(this.h[best]) ? each : best));
    const quiet = run.every((each) => isQuiet(this.tree, each, this.options.measure));
    return { id: run[0], fold: "chain", members: run, node, contexts: run.length, h: this.h[node], w: Math.max(...run.map((each) => w[each])), quiet };
  }

  private together(fold: "rest" | "libraries", caller: number, roots: number[]): Drawn {
    const { blueprint, end } = this.tree;
    const { measure } = this.options;
    const members = [...roots].sort((one, other) => Math.abs(this.h[other]) - Math.abs(this.h[one]) || one - other);
    let contexts = 0;
    let own = 0;
    let quiet = true;
    for (const root of roots) {
      if (fold === "rest") {
        const subtree = this.below.get(root)!;
        contexts += subtree.count;
        own += subtree.self;
        quiet &&= subtree.quiet;
      } else {
        contexts += end[root] - root;
        for (let node = root; node < end[root]; node++) {
          own += blueprint.h[measure][node];
          quiet &&= isQuiet(this.tree, node, measure);
        }
      }
    }
    // An inclusive difference has those of its callees in it; their own ones have not.
    const sum = measure === this.own ? own : members.reduce((all, root) => all + this.h[root], 0);
    const known = members.filter((root) => blueprint.w[root] >= 0);
    const calls = known.reduce((all, root) => all + Math.expm1(blueprint.w[root]), 0);
    const count = blueprint.parent.length;
    return {
      id: (fold === "rest" ? count : 2 * count) + caller,
      fold,
      members,
      node: -1,
      contexts,
      h: isRounding(sum, members, this.h) ? 0 : sum,
      w: known.length === 0 ? -1 : Math.log1p(calls),
      quiet,
      hidden: 0,
      parent: -1,
      level: 0,
      position: 0,
      children: [],
    };
  }

  /** Fills `below`: callees stand behind their callers. */
  private sumUp(): void {
    const { blueprint } = this.tree;
    const nodes = inOrder(this.shown);
    for (const node of nodes) {
      const self = blueprint.h[this.own][node];
      this.below.set(node, { count: 1, peak: Math.abs(this.h[node]), self, quiet: isQuiet(this.tree, node, this.options.measure) });
    }
    for (let at = nodes.length - 1; at > 0; at--) {
      const subtree = this.below.get(nodes[at])!;
      const above = this.below.get(blueprint.parent[nodes[at]])!;
      above.count += subtree.count;
      above.peak = Math.max(above.peak, subtree.peak);
      above.self += subtree.self;
      above.quiet &&= subtree.quiet;
    }
  }
}

/** The contexts around a context that were unfolded: itself, what it calls, and the run that it is in. */
export function unfoldedAround(tree: Tree, unfolded: ReadonlySet<number>, node: number): number[] {
  const { parent } = tree.blueprint;
  const around = new Set([node, ...tree.children[node]]);
  for (let at = parent[node]; at >= 0 && tree.children[at].length === 1; at = parent[at]) around.add(at);
  for (let at = node; tree.children[at].length === 1; at = tree.children[at][0]) around.add(tree.children[at][0]);
  return [...around].filter((each) => unfolded.has(each));
}

function isQuiet({ blueprint }: Tree, node: number, measure: Measure): boolean {
  return blueprint.kind[node] === NodeKind.Both && blueprint.changed[node] === 0 && (blueprint.h[measure][node] === 0 || isNoise(blueprint, node, measure));
}

/** Differences that cancel out leave a rest of the arithmetic. */
function isRounding(sum: number, members: number[], h: number[]): boolean {
  return Math.abs(sum) <= 1e-12 * members.reduce((all, node) => all + Math.abs(h[node]), 0);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
