// What a report shows. `report/src/view/` writes it, every view reads it; nothing is merged, matched or judged here.
//
// Columnar: an interface named in the plural holds one array a property, all of one length, and a row is an index.
// Strings are indices into `strings`; -1 stands for "there is none" wherever a number may be missing.

export interface Payload {
  schema: "lito.view/1";
  project: string;
  /** One line: what is compared or tracked. */
  title: string;
  /** Of every cost: "instructions", "operations", "samples", … */
  unit: string;
  /** Which direction is good. */
  better: "less" | "more";
  /** The command that made this report, and the one that compares two versions ("lito compare {before} {after} --bench {benchmark}"). */
  commands: { made: string; compare: string };
  strings: string[];
  functions: Functions;
  versions: Version[];
  /** Names; a `benchmark` below is an index. */
  benchmarks: string[];
  headline: Headline;
  /** One a benchmark; empty where no versions were tracked. */
  chart: Series[];
  /** At most one a benchmark. */
  matrices: Matrix[];
  comparisons: Comparison[];
  sources: Sources;
}

/** Sorted by name. `name` = package + module + type + label; module and type may be -1. */
export interface Functions {
  name: number[];
  package: number[];
  module: number[];
  /** The type (or class) that defines it. */
  type: number[];
  /** The function's own name, closures included: "parse::{closure}". */
  label: number[];
  file: number[];
  line: number[];
  external: (0 | 1)[];
}

/** Oldest first. */
export interface Version {
  commit: string;
  /** What a column or an axis is labelled with: a tag's name or the short commit. */
  label: string;
  summary: string;
  /** Seconds since 1970. */
  time: number;
}

export type Tone = "slower" | "faster" | "mixed" | "same" | "unknown";

/** The strip on top. */
export interface Headline {
  tone: Tone;
  text: string;
  lines: { tone: Tone; text: string; benchmark: number; comparison: number }[];
}

/** What one benchmark cost, one entry a version. */
export interface Series {
  benchmark: number;
  /** null in a gap. */
  values: (number | null)[];
  /** 0 measured, 1 carried over, 2 gap. */
  states: (0 | 1 | 2)[];
  /** Why there is a gap. */
  reasons: number[];
  /** `version`: the first with the new cost. */
  changes: { version: number; before: number; after: number; change: number; method: "jump" | "e_divisive" }[];
  /** Versions from which on the benchmark's own source is another one: costs before and after are not compared. */
  rewritten: number[];
}

/** The evolution matrix of one benchmark (M1 to M10). */
export interface Matrix {
  benchmark: number;
  /** Version of each column, oldest first. */
  columns: number[];
  /** Total of the benchmark in each column: 100% of the time. */
  totals: number[];
  /** Preorder; siblings sorted by share, largest first. */
  rows: {
    /** Row of the container; -1 for the project. */
    parent: number[];
    name: number[];
    kind: ("project" | "package" | "module" | "type" | "function")[];
    /** Function of the row, -1 for a container. */
    function: number[];
    /** Largest share of the total in any column, 0 to 1: what the threshold of M3 is held against. */
    share: number[];
  };
  /** [row][column]: inclusive cost, of a container the maximum over its functions; -1 where absent. */
  cost: number[][];
  /** [row][column]: change against the column before, 0.1 for +10%; null where one of them is absent. */
  change: (number | null)[][];
  /** [row][column]: number of modified functions since the column before; 0 in the first. */
  modified: number[][];
  /** Dynamic call graph, caller and callee are functions; calls[edge][column], 0 where the call is not made. */
  edges: { caller: number[]; callee: number[]; calls: number[][] };
  /** At most one a column. `share[i]` belongs to `function[i]`: percent of each time frame, 0 to 100. */
  timelines: { column: number; frames: number; unit: string; function: number[]; share: number[][] }[];
}

/** Two executions held against each other. */
export interface Comparison {
  before: Side;
  after: Side;
  /** What a reader has to know of how it came about, a sentence each. */
  notes: string[];
  /** `ComparisonTrees` as JSON, deflated (zlib, "deflate" for DecompressionStream), base64. */
  trees: string;
}

export interface Side {
  benchmark: number;
  /** -1 where stacks were read from a file. */
  version: number;
  label: string;
  total: number;
}

export interface ComparisonTrees {
  blueprint: Blueprint;
  flames: Flames;
  /** Functions whose source differs between the sides. */
  changed: number[];
}

/** Positions in `h` and bits of `noise`: what E is. */
export const enum Measure {
  ShareInclusive = 0,
  ShareSelf = 1,
  CostInclusive = 2,
  CostSelf = 3,
}

/** The merged calling context tree (B1 to B12), preorder; node 0 is the root. Where a side lacks a node: -1. */
export interface Blueprint {
  parent: number[];
  function: number[];
  /** 0 in both, 1 new, 2 removed. */
  kind: (0 | 1 | 2)[];
  /** 1 if the function's source differs. */
  changed: (0 | 1)[];
  /** Inclusive costs. */
  before: number[];
  after: number[];
  selfBefore: number[];
  selfAfter: number[];
  /** -1 where not known. */
  callsBefore: number[];
  callsAfter: number[];
  /** 1 if one of these counts is an estimate. */
  estimated: (0 | 1)[];
  /** H of B3, B5 and B6, signed, [Measure][node]: a share as a fraction of the total, a cost in the unit. */
  h: [number[], number[], number[], number[]];
  /** W of B4, B5 and B6 (natural logarithm, before scaling to pixels), -1 where calls are not known. */
  w: number[];
  /** Bit `1 << Measure`: a difference so small is noise, and drawn neutral; what is new or removed stays so. */
  noise: number[];
  /** The leaf of the delta hot path (B9). */
  hot: number;
  /** The leaf of the hot path from each node on. */
  hotBelow: number[];
  /** Frame of the same context in `Flames`, by side. */
  frameBefore: number[];
  frameAfter: number[];
}

/** Both sides' stacks joined by full path (D1 to D8), preorder, siblings alphabetical; frame 0 is the root. */
export interface Flames {
  parent: number[];
  function: number[];
  /** Value of stacks that end here; inclusive values are their sums over the subtree. */
  selfBefore: number[];
  selfAfter: number[];
  /** As in `Blueprint`. */
  noise: number[];
  /** Node of the blueprint. */
  node: number[];
}

/** Source text of functions, by version. */
export interface Sources {
  /** Each text once, lines separated by "\n". */
  texts: string[];
  /** Language of highlighting: "rust", "python", … */
  language: string;
  /** A row where a function's text is first seen or changes: it is `text` from `version` on (-1: no source from there on). */
  function: number[];
  version: number[];
  text: number[];
  /** Line of its first line in the file. */
  line: number[];
  /** Line diffs of two texts, runs of lines: [[kind, count], …] flattened; kind 0 both, 1 only before, 2 only after. */
  diffs: { before: number[]; after: number[]; runs: number[][] };
}
