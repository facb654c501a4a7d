// The differential flame graph set (D1 to D8): before and after side by side, their difference below, always on the same
// frame.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import "./flames.css";
import { pathOf, selectedNode } from "../blueprint/selected";
import type { DecodedComparison } from "../decode";
import { integer, share } from "../format";
import { useDescriptions, useKeys } from "../keys";
import type { Payload } from "../payload";
import { SaveMenu } from "../save";
import { Printed } from "../save/printed";
import { SearchField } from "../search_field";
import { type Store, useStore } from "../state";
import { useColors, useReducedMotion } from "../theme";
import type { ViewProps } from "../view";
import { ancestry, children, type Frames, frames } from "./frames";
import { type GraphName, GRAPHS, graphs, type GraphSet, type Mode } from "./graphs";
import { Hint } from "./hint";
import { frameId, Mirror } from "./mirror";
import { names } from "./names";
import type { Scene } from "./paint";
import { Panel } from "./panel";
import { shownFrame } from "./query";
import { flamesSaved } from "./save";
import { search } from "./search";
import type { Outline, Stage } from "./stage";
import { styleOf } from "./style";
import { stateInWords, valueInWords, widthsInWords } from "./words";

export function Flames({ payload, comparison, state }: ViewProps) {
  if (comparison !== null && comparison.trees.flames.parent.length === 0) return <p class="empty">This comparison has no stacks.</p>;
  if (comparison === null) return <p class="empty">{state.get().selection.comparison >= 0 ? "Reading…" : "This report has no stacks of this pair."}</p>;
  return <Drawing key={comparison.index} payload={payload} comparison={comparison} store={state} />;
}

interface DrawingProps {
  payload: Payload;
  comparison: DecodedComparison;
  store: Store;
}

type Range = { from: number; to: number };
type Ranges = Record<GraphName, Range>;

const WHERE = "Flame graphs";
const WHOLE: Range = { from: 0, to: 1 };
/** Milliseconds of a zoom. */
const MOTION = 150;

function Drawing({ payload, comparison, store }: DrawingProps) {
  const { selection, modes } = useStore(store);
  const { trees } = comparison;
  const model = useMemo(() => frames(trees.flames), [trees]);
  const called = useMemo(() => names(payload, trees), [payload, trees]);
  const [normalised, setNormalised] = useState(false);
  const [original, setOriginal] = useState(false);
  const [zoom, setZoom] = useState(0);
  const [hovered, setHovered] = useState<{ graph: GraphName; frame: number; x: number; y: number } | null>(null);
  const [focus, setFocus] = useState(0);
  const [active, setActive] = useState(false);
  const [query, setQuery] = useState("");
  const still = useReducedMotion();
  const colors = useColors(modes);
  const mode: Mode = { self: modes.measure === "self", share: modes.scale === "share", normalised, original };
  const set = useMemo(() => graphs(model, mode), [model, mode.self, mode.share, normalised, original]);
  const matches = useMemo(() => search(model, query, (of) => called.full[of]), [model, query, called]);
  const style = useMemo(() => styleOf(colors, payload.better), [colors]);
  const selected = useMemo(() => selectedFrames(comparison, selection), [comparison, selection.function, selection.path]);

  const stages = useRef(new Map<GraphName, Stage>());
  const ranges = useRef<Ranges>({ before: WHOLE, after: WHOLE, diff: WHOLE });
  const animation = useRef(0);
  const root = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const takeFocus = useRef(false);
  const drawnAfter = useRef(0);
  const onStage = useCallback((name: GraphName, stage: Stage | null) => {
    if (stage === null) stages.current.delete(name);
    else stages.current.set(name, stage);
  }, []);

  const look = (now: Ranges, moving: boolean) => {
    ranges.current = now;
    for (const [name, stage] of stages.current) stage.look(now[name], moving);
  };
  const wanted = (frame: number): Ranges => ({
    before: rangeOf(model, set, "before", frame),
    after: rangeOf(model, set, "after", frame),
    diff: rangeOf(model, set, "diff", frame),
  });

  const sceneOf = (name: GraphName): Scene => ({
    frames: model,
    left: set.graphs[name].left,
    width: set.graphs[name].width,
    step: set.step,
    sign: name === "before" ? -1 : 1,
    changed: called.changed,
    matches: matches?.mask ?? null,
    prefix: called.prefix,
    label: called.label,
  });

  // A new layout or new colours: drawn where the zoom is, without motion.
  useLayoutEffect(() => {
    cancelAnimationFrame(animation.current);
    ranges.current = wanted(zoom);
    for (const [name, stage] of stages.current) {
      stage.look(ranges.current[name], false);
      stage.show(sceneOf(name), style);
    }
    drawnAfter.current ||= performance.now();
  }, [set, style, matches]);

  useLayoutEffect(() => {
    const from = ranges.current;
    const to = wanted(zoom);
    for (const stage of stages.current.values()) stage.scrollToDepth(model.depth[zoom], zoom !== 0);
    if (still || GRAPHS.every((name) => from[name].from === to[name].from && from[name].to === to[name].to)) return look(to, false);
    const begun = performance.now();
    const step = () => {
      const part = Math.min(1, (performance.now() - begun) / MOTION);
      const eased = 1 - (1 - part) ** 3;
      look({ before: between(from.before, to.before, eased), after: between(from.after, to.after, eased), diff: between(from.diff, to.diff, eased) }, part < 1);
      if (part < 1) animation.current = requestAnimationFrame(step);
    };
    animation.current = requestAnimationFrame(step);
    return () => cancelAnimationFrame(animation.current);
  }, [zoom]);

  useLayoutEffect(() => {
    const outlines: Outline[] = selected.map((frame) => ({ frame, color: colors.accent, width: 2 }));
    if (active) outlines.push({ frame: focus, color: colors.text, width: 2 });
    if (hovered !== null) outlines.push({ frame: hovered.frame, color: colors.text, width: 2 });
    for (const stage of stages.current.values()) stage.outline(outlines);
  }, [selected, active, focus, hovered?.frame, colors, set]);

  // Scrolls to the selection of another view; a frame picked here is already in sight.
  useEffect(() => {
    if (selected.length === 0 || selected.includes(focus)) return;
    setFocus(selected[selected.length - 1]);
    see(selected[selected.length - 1]);
  }, [selected]);

  useLayoutEffect(() => {
    if (!takeFocus.current) return;
    takeFocus.current = false;
    document.getElementById(frameId(focus))?.focus({ preventScroll: true });
  }, [focus]);

  /** Zooms out where a frame is out of sight, in where it is too narrow, and scrolls to its row. */
  const see = (frame: number) => {
    const to = wanted(zoom);
    const isSeen = GRAPHS.some((name) => {
      const { left, width } = set.graphs[name];
      const part = width[frame] / (to[name].to - to[name].from);
      return part > 0.002 && left[frame] < to[name].to && left[frame] + width[frame] > to[name].from;
    });
    if (!isSeen) setZoom(Math.max(0, model.parent[frame]));
    for (const stage of stages.current.values()) stage.scrollToDepth(model.depth[frame], true);
  };
  const goTo = (frame: number) => {
    takeFocus.current = true;
    see(frame);
    setFocus(frame);
    if (frame === focus) document.getElementById(frameId(frame))?.focus({ preventScroll: true });
  };
  const pick = (frame: number) => {
    setFocus(frame);
    setZoom(frame);
    const { blueprint } = trees;
    const node = model.node[frame];
    const path = node >= 0 ? pathOf(blueprint, node) : ancestry(model, frame).map((at) => model.function[at]);
    store.select({ function: model.function[frame], path });
  };
  const goToMatch = (step: 1 | -1) => {
    if (matches === null || matches.frames.length === 0) return false;
    const found = matches.frames;
    const next = step === 1 ? found.find((frame) => frame > focus) : found.findLast((frame) => frame < focus);
    goTo(next ?? (step === 1 ? found[0] : found[found.length - 1]));
    return true;
  };
  const goToHotPath = () => {
    const { hot, frameBefore, frameAfter } = trees.blueprint;
    goTo(Math.max(0, frameAfter[hot] >= 0 ? frameAfter[hot] : frameBefore[hot]));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target as Element).matches(".scroller, [role=treeitem]")) return;
    const widest = (frame: number) => Math.max(...GRAPHS.map((name) => set.graphs[name].width[frame]));
    const drawn = (frame: number) => widest(frame) > 0;
    const callees = children(model, focus).filter(drawn);
    const siblings = focus === 0 ? [0] : children(model, model.parent[focus]).filter((frame) => drawn(frame) || frame === focus);
    const at = siblings.indexOf(focus);
    if (event.key === "ArrowUp") goTo(callees.reduce((best, frame) => (best < 0 || widest(frame) > widest(best) ? frame : best), callees[0] ?? focus));
    else if (event.key === "ArrowDown") goTo(Math.max(0, model.parent[focus]));
    else if (event.key === "ArrowLeft") goTo(siblings[Math.max(0, at - 1)]);
    else if (event.key === "ArrowRight") goTo(siblings[Math.min(siblings.length - 1, at + 1)]);
    else if (event.key === "Home") goTo(0);
    else if (event.key === "End") goTo(topmost(model, focus, widest));
    else if (event.key === "Enter" || event.key === " ") pick(focus);
    else if (event.key === "Escape" || event.key === "Backspace") setZoom(0);
    else return;
    event.preventDefault();
  };

  useKeys([
    { key: "h", what: "End of the delta hot path", where: WHERE, run: goToHotPath },
    { key: "/", what: "Search for a word", where: WHERE, run: () => searchField.current?.focus() },
    { key: "n", what: "Next match", where: WHERE, run: () => goToMatch(1) },
    { key: "N", what: "Previous match", where: WHERE, run: () => goToMatch(-1) },
    { key: "Escape", what: "Show the whole graphs", where: WHERE, run: () => (zoom === 0 ? false : setZoom(0)) },
    { key: "Backspace", what: "Show the whole graphs", where: WHERE, run: () => (zoom === 0 ? false : setZoom(0)) },
  ]);
  useDescriptions(KEYS.map(([key, what]) => ({ key, what, where: WHERE })));

  useLayoutEffect(() => {
    const names = (frame: number) => ancestry(model, frame).map((at) => called.full[model.function[at]]);
    window.lito = {
      ...window.lito,
      flames: {
        frame: (graph, path) => {
          const stage = stages.current.get(graph);
          return stage ? shownFrame(model, set, called, style.ramp, stage, graph, path) : null;
        },
        hovered: hovered && names(hovered.frame),
        focused: active ? names(focus) : null,
        selected: selected.map(names),
        zoom: names(zoom),
        matches: matches && matches.frames.length,
        frames: model.count,
        // Drawn after this object is made.
        get drawnAfter() {
          return drawnAfter.current;
        },
      },
    };
  });

  const inQuestion = hovered?.frame ?? (active ? focus : (selected[0] ?? zoom));
  const value = (graph: GraphName) => (
    <>
      <span class="of">{called.label[model.function[inQuestion]]}</span> {valueInWords(model, set, graph, inQuestion, payload.unit)}
    </>
  );
  const inWords = (frame: number) =>
    `${called.full[model.function[frame]]}: ${valueInWords(model, set, "before", frame, payload.unit)} before, ${valueInWords(model, set, "after", frame, payload.unit)} after, ${valueInWords(model, set, "diff", frame, payload.unit)}, ${stateInWords(model, set, frame, called.changed[model.function[frame]] === 1)}`;
  const nothing = (graph: GraphName) => (set.graphs[graph].width[0] > 0 ? null : graph === "diff" ? "No stack differs by more than noise." : "No stacks on this side.");
  const panel = (name: GraphName, title: string, about: string) => (
    <Panel
      name={name}
      title={title}
      about={about}
      empty={nothing(name)}
      value={value(name)}
      onStage={onStage}
      onPoint={(graph, event) => {
        const frame = event === null ? -1 : (stages.current.get(graph)?.at(event.clientX, event.clientY) ?? -1);
        setHovered(frame < 0 ? null : { graph, frame, x: event!.clientX, y: event!.clientY });
      }}
      onPick={(graph, event) => {
        const frame = stages.current.get(graph)?.at(event.clientX, event.clientY) ?? -1;
        if (frame >= 0) pick(frame);
      }}
    />
  );

  const saved = flamesSaved({ payload, comparison, frames: model, set, names: called, zoom, sceneOf, rangeOf: (name) => rangeOf(model, set, name, zoom) });

  return (
    <div class="flames" ref={root} onKeyDown={onKeyDown} onFocusCapture={(event) => setActive((event.target as Element).matches(".scroller, [role=treeitem]"))} onBlurCapture={() => setActive(false)}>
      <div class="contexts-bar" role="toolbar" aria-label="Flame graphs">
        <label>
          <input type="checkbox" checked={normalised} onChange={() => setNormalised(!normalised)} /> Normalise totals
        </label>
        <label>
          <span class="dim">Difference</span>{" "}
          <select data-form={original ? "original" : "size"} value={original ? "original" : "size"} onChange={(event) => setOriginal(event.currentTarget.value === "original")}>
            <option value="size">width by difference</option>
            <option value="original">widths of “after”, without unchanged leaves</option>
          </select>
        </label>
        <SearchField query={query} placeholder="keyword" field={searchField} onQuery={setQuery} onNext={() => goToMatch(1)} />
        <span class="dim count" role="status">
          {matches !== null &&
            `${integer(matches.frames.length)} ${matches.frames.length === 1 ? "frame matches" : "frames match"}: ${share(matches.share.before)} of before, ${share(matches.share.after)} of after`}
        </span>
        <SaveMenu {...{ saved, modes }} />
      </div>
      <nav class="crumbs" aria-label="Zoom">
        {ancestry(model, zoom).map((frame) => (
          <button key={frame} class="link" aria-current={frame === zoom ? "true" : undefined} onClick={() => setZoom(frame)}>
            {frame === 0 ? "All" : called.label[model.function[frame]]}
          </button>
        ))}
        {zoom !== 0 && (
          <button class="reset" onClick={() => setZoom(0)}>
            Whole graphs<kbd aria-hidden="true">Esc</kbd>
          </button>
        )}
      </nav>
      <Printed {...{ saved, modes }} />
      <div class="pairwise">
        {panel("before", `Before: ${comparison.before.label}`, "coloured by what a revert would do")}
        {panel("after", `After: ${comparison.after.label}`, "coloured by what the change did")}
      </div>
      {panel("diff", "Difference", mode.original ? "widths of “after”" : "widths by what differs, removed frames included")}
      <p class="dim widths">{widthsInWords(mode, payload.unit, comparison.before.label)}</p>
      <Mirror frames={model} focus={focus} inWords={inWords} onPick={pick} />
      {hovered !== null && (
        <Hint x={hovered.x} y={hovered.y} payload={payload} comparison={comparison} frames={model} set={set} names={called} frame={hovered.frame} />
      )}
    </div>
  );
}

const KEYS: [key: string, what: string][] = [
  ["ArrowUp", "Widest callee"],
  ["ArrowDown", "Caller"],
  ["ArrowLeft", "Frame to the left"],
  ["ArrowRight", "Frame to the right"],
  ["Home", "Root"],
  ["End", "Top of the widest stack"],
  ["Enter", "Zoom and select"],
];

/** Where a graph lacks the frame, its nearest caller stands for it. The root is the whole width, whatever its share of it. */
function rangeOf(model: Frames, set: GraphSet, graph: GraphName, frame: number): Range {
  const { left, width } = set.graphs[graph];
  let at = frame;
  while (at > 0 && width[at] === 0) at = model.parent[at];
  return at <= 0 ? WHOLE : { from: left[at], to: left[at] + width[at] };
}

function between(from: Range, to: Range, part: number): Range {
  return { from: from.from + (to.from - from.from) * part, to: from.to + (to.to - from.to) * part };
}

function topmost(model: Frames, frame: number, widest: (frame: number) => number): number {
  for (;;) {
    const next = children(model, frame).reduce((best, child) => (best < 0 || widest(child) > widest(best) ? child : best), -1);
    if (next < 0 || widest(next) === 0) return frame;
    frame = next;
  }
}

/** Frames of the selected node: two where its path differs between the sides. */
function selectedFrames({ trees }: DecodedComparison, selection: { function: number; path: number[] }): number[] {
  const node = selectedNode(trees.blueprint, selection);
  if (node < 0) return [];
  const both = [trees.blueprint.frameBefore[node], trees.blueprint.frameAfter[node]];
  return [...new Set(both)].filter((frame) => frame >= 0);
}
