// The one selection all views share, and the modes they draw in; both can be written as an address fragment and read from one.

import { useLayoutEffect, useState } from "preact/hooks";
import type { PaletteName, ThemeName } from "./colors";
import { type Payload, PointState, type Side } from "./payload";

export interface Selection {
  /** Benchmark of the later side; -1 where nothing is selected. */
  benchmark: number;
  /** Benchmark of the earlier side: another one where two benchmarks are compared on one version (R4). */
  against: number;
  /** Versions of the sides; -1 where there is none. */
  before: number;
  after: number;
  /** Position in `payload.comparisons` of these two sides, -1 if the report does not contain them. */
  comparison: number;
  /** -1 where none is selected. */
  function: number;
  /** Functions from the root to the selected node of the calling context tree; empty where only a function is selected. */
  path: number[];
}

export interface Modes {
  measure: "inclusive" | "self";
  scale: "share" | "absolute";
  palette: PaletteName;
  theme: ThemeName;
  /** Of the blueprint: contexts outside of the project are one box each below their caller in it. */
  libraries: "folded" | "shown";
}

export const VIEWS = ["blueprint", "flames", "ranking"] as const;
export type ViewName = (typeof VIEWS)[number];

export interface State {
  selection: Selection;
  modes: Modes;
  /** The tab that shows. */
  view: ViewName;
}

const DEFAULT_MODES: Modes = { measure: "inclusive", scale: "absolute", palette: "paper", theme: "auto", libraries: "folded" };

export class Store {
  readonly payload: Payload;
  private state: State;
  private readonly listeners = new Set<() => void>();

  constructor(payload: Payload) {
    this.payload = payload;
    this.state = { selection: opening(payload), modes: DEFAULT_MODES, view: "blueprint" };
  }

  get(): State {
    return this.state;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Changes part of the selection; other sides are looked up among the report's comparisons, and lose the path. */
  select(change: Partial<Omit<Selection, "comparison">>): void {
    const selection = { ...this.state.selection, ...change };
    if (change.benchmark !== undefined && change.against === undefined) selection.against = change.benchmark;
    const sides = ["benchmark", "against", "before", "after"] as const;
    if (sides.some((side) => selection[side] !== this.state.selection[side])) {
      selection.comparison = findComparison(this.payload, selection);
      if (change.path === undefined) selection.path = [];
    }
    if (change.function !== undefined && change.path === undefined) selection.path = [];
    this.set({ selection });
  }

  /** Selects both sides of a comparison the report holds. */
  selectComparison(index: number, change: Partial<Pick<Selection, "function" | "path">> = {}): void {
    this.set({ selection: { ...this.state.selection, path: [], ...sidesOf(this.payload, index), ...change } });
  }

  setModes(change: Partial<Modes>): void {
    this.set({ modes: { ...this.state.modes, ...change } });
  }

  setView(view: ViewName): void {
    this.set({ view });
  }

  private set(change: Partial<State>): void {
    const next = { ...this.state, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.state)) return;
    this.state = next;
    this.listeners.forEach((listener) => listener());
  }

  /** Without the leading "#". Names, not indices, so that an address survives the next report. */
  fragment(): string {
    const { modes } = this.state;
    const changed = (["measure", "scale", "palette", "theme", "libraries"] as const).filter((key) => modes[key] !== DEFAULT_MODES[key]);
    return [this.step(), ...changed.map((key) => `${key}=${modes[key]}`)].filter(Boolean).join("&");
  }

  /** The part of the fragment that says where the reader is: everything but the modes. */
  step(): string {
    const { payload } = this;
    const { selection, view } = this.state;
    const fields: [string, string][] = [];
    const held = payload.comparisons[selection.comparison];
    const label = (side: Side | undefined, version: number) => payload.versions[version]?.label ?? side?.label;
    const put = (key: string, value: string | undefined) => void (value !== undefined && fields.push([key, value]));
    put("bench", payload.benchmarks[selection.benchmark]);
    if (selection.against !== selection.benchmark) put("against", payload.benchmarks[selection.against]);
    put("before", label(held?.before, selection.before));
    put("after", label(held?.after, selection.after));
    put("function", this.functionName(selection.function));
    if (selection.path.length > 0) put("path", selection.path.map((each) => this.functionName(each)).join(";"));
    put("view", view);
    return fields.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
  }

  /** Takes over what a fragment names; what it does not name, or names wrongly, stays as the report opened. `kept`: modes that stay as they are. */
  readFragment(fragment: string, kept?: Modes): void {
    const { payload } = this;
    const fields = new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B"));
    const text = (key: string) => fields.get(key) ?? undefined;
    const selection = opening(payload);
    const benchmark = payload.benchmarks.indexOf(text("bench") ?? "");
    if (benchmark >= 0) {
      const against = payload.benchmarks.indexOf(text("against") ?? "");
      Object.assign(selection, { benchmark, against: against >= 0 ? against : benchmark, before: -1, after: -1 });
      const version = (key: string) => payload.versions.findIndex((each) => each.label === text(key));
      selection.before = version("before");
      selection.after = version("after");
      const labelled = payload.comparisons.findIndex(
        ({ before, after }) =>
          before.benchmark === selection.against && after.benchmark === benchmark && before.label === text("before") && after.label === text("after"),
      );
      if (labelled >= 0) Object.assign(selection, sidesOf(payload, labelled));
      else selection.comparison = findComparison(payload, selection);
    }
    const byName = (name: string) => payload.functions.name.findIndex((each) => payload.strings[each] === name);
    selection.function = text("function") === undefined ? -1 : byName(text("function")!);
    selection.path = (text("path") ?? "").split(";").filter(Boolean).map(byName);
    if (selection.path.includes(-1)) selection.path = [];

    const oneOf = <T extends string>(key: string, values: readonly T[], otherwise: T): T =>
      values.find((value) => value === text(key)) ?? otherwise;
    const modes: Modes = {
      measure: oneOf("measure", ["inclusive", "self"], DEFAULT_MODES.measure),
      scale: oneOf("scale", ["share", "absolute"], DEFAULT_MODES.scale),
      palette: oneOf("palette", ["paper", "blind"], DEFAULT_MODES.palette),
      theme: oneOf("theme", ["auto", "light", "dark"], DEFAULT_MODES.theme),
      libraries: oneOf("libraries", ["folded", "shown"], DEFAULT_MODES.libraries),
    };
    this.set({ selection, modes: kept ?? modes, view: oneOf<ViewName>("view", VIEWS, "blueprint") });
  }

  private functionName(index: number): string | undefined {
    return this.payload.strings[this.payload.functions.name[index] ?? -1];
  }
}

/** A report opens on its first comparison, which Rust puts there because it matters most. */
function opening(payload: Payload): Selection {
  const none: Selection = { benchmark: -1, against: -1, before: -1, after: -1, comparison: -1, function: -1, path: [] };
  if (payload.comparisons.length > 0) return { ...none, ...sidesOf(payload, 0) };
  return payload.benchmarks.length > 0 ? { ...none, benchmark: 0, against: 0 } : none;
}

function sidesOf(payload: Payload, index: number): Pick<Selection, "benchmark" | "against" | "before" | "after" | "comparison"> {
  const { before, after } = payload.comparisons[index]!;
  return { benchmark: after.benchmark, against: before.benchmark, before: before.version, after: after.version, comparison: index };
}

function findComparison(payload: Payload, sides: Pick<Selection, "benchmark" | "against" | "before" | "after">): number {
  if (sides.before < 0 || sides.after < 0) return -1;
  const first = measuredAt(payload, sides.against, sides.before);
  const last = measuredAt(payload, sides.benchmark, sides.after);
  return payload.comparisons.findIndex(
    ({ before, after }) =>
      after.benchmark === sides.benchmark && before.benchmark === sides.against && before.version === first && after.version === last,
  );
}

/** The version at which a point was measured: itself, or the one that it is carried over from. */
export function measuredAt(payload: Payload, benchmark: number, version: number): number {
  const states = payload.chart.find((series) => series.benchmark === benchmark)?.states;
  if (states?.[version] !== PointState.Carried) return version;
  return states.lastIndexOf(PointState.Measured, version);
}

/** The store's state, rendering again whenever it changes. */
export function useStore(store: Store): State {
  const [state, setState] = useState(store.get());
  useLayoutEffect(() => {
    setState(store.get());
    return store.subscribe(() => setState(store.get()));
  }, [store]);
  return state;
}
