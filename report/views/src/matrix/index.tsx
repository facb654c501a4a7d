// The performance evolution matrix (M1 to M10): its controls, the grid, the popup and the call graph of the selected cell.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDescriptions } from "../keys";
import { share } from "../format";
import type { Payload } from "../payload";
import { type Store, useStore } from "../state";
import { useColors } from "../theme";
import { Arcs } from "./arcs";
import { CallGraphPanel } from "./callgraph";
import { Grid, type Place } from "./grid";
import "./matrix.css";
import { HIDDEN_BELOW, MatrixModel, THRESHOLDS } from "./model";
import { Popup } from "./popup";

/** Milliseconds before a popup opens, and before it closes once the pointer left its glyph for it. */
const OPENS_AFTER = 250;
const CLOSES_AFTER = 150;
const MOST_HIDDEN = 0.2;

export function MatrixView({ payload, store }: { payload: Payload; store: Store }) {
  const { selection, modes } = useStore(store);
  const colors = useColors(modes);
  const matrix = payload.matrices.find((each) => each.benchmark === selection.benchmark) ?? payload.matrices[0]!;
  const own = matrix.benchmark === selection.benchmark;
  const model = useMemo(() => new MatrixModel(matrix), [matrix]);
  const [threshold, setThreshold] = useState(HIDDEN_BELOW);
  const [thresholds, setThresholds] = useState(THRESHOLDS);
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(new Set());
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const [tall, setTall] = useState(false);
  const [active, setActive] = useState<Place | null>(null);
  const [cell, setCell] = useState<Place | null>(null);
  const rows = useMemo(() => model.visible(collapsed, threshold), [model, collapsed, threshold]);
  const popup = usePopup();

  const select = (place: Place) => {
    const [before, after] = [matrix.columns[place.column - 1] ?? -1, matrix.columns[place.column]!];
    setCell(place);
    setActive(place);
    store.select({ benchmark: matrix.benchmark, before, after, function: matrix.rows.function[place.row]! });
  };
  const fold = (row: number, to: boolean) => {
    const next = new Set(collapsed);
    if (to) next.add(row);
    else next.delete(row);
    setCollapsed(next);
  };
  const openBelow = () => document.querySelector<HTMLElement>("[role=tabpanel]:not([hidden])")?.scrollIntoView({ block: "start" });
  const act = (place: Place) => {
    setActive(place);
    if (place.row < 0) {
      if (place.column < 0 || !model.hasTimeline(place.column)) return;
      const next = new Set(expanded);
      if (!next.delete(place.column)) next.add(place.column);
      setExpanded(next);
    } else if (place.column < 0) {
      if (model.isContainer(place.row)) fold(place.row, !collapsed.has(place.row));
      else store.select({ function: matrix.rows.function[place.row]! });
    } else if (cell?.row === place.row && cell.column === place.column) openBelow();
    else select(place);
  };

  // Another matrix has other rows: nothing that names a row or a column outlives it.
  const shown = useRef(model);
  useEffect(() => {
    if (shown.current === model) return;
    shown.current = model;
    setCollapsed(new Set());
    setExpanded(new Set());
    setActive(null);
    setCell(null);
  }, [model]);

  // The selection may be made elsewhere: its function's cell follows, and is brought in sight.
  useEffect(() => {
    const row = selection.function >= 0 ? model.rowOf(selection.function) : (cell?.row ?? -1);
    const column = matrix.columns.indexOf(selection.after);
    if (row < 0 || column < 0 || !own || (cell?.row === row && cell.column === column)) return;
    setCell({ row, column });
    setActive({ row, column });
    const hiding = model.ancestors(row).filter((each) => collapsed.has(each));
    if (hiding.length > 0) setCollapsed(new Set([...collapsed].filter((each) => !hiding.includes(each))));
  }, [selection.function, selection.before, selection.after, selection.benchmark, model]);

  useDescriptions([
    { key: "↑ ↓ ← →", what: "Move; on a name → opens and ← closes it", where: "Matrix" },
    { key: "Home End", what: "Name and last version; with Ctrl first and last row", where: "Matrix" },
    { key: "Enter", what: "On a cell: its calls, and its pair below; once more: go there", where: "Matrix" },
    { key: "Enter ", what: "On a name: open or close it; on a version: its timelines", where: "Matrix" },
    { key: "Esc", what: "Close the popup, then the call graph", where: "Matrix" },
  ]);

  const graph = useMemo(() => (cell ? model.callGraph(cell.row, cell.column) : null), [model, cell]);
  const hidden = model.count - matrix.rows.share.filter((_, row) => model.passes(row, threshold)).length;
  const count = (value: string, otherwise: number) => (Number.isInteger(Number(value)) && Number(value) > 0 ? Number(value) : otherwise);
  return (
    <section class="matrix" aria-labelledby="matrix-title">
      <header class="bar">
        <h2 id="matrix-title">Matrix</h2>
        {payload.matrices.length > 1 ? (
          <select
            aria-label="Benchmark"
            value={String(matrix.benchmark)}
            onChange={(event) => store.select({ benchmark: Number(event.currentTarget.value) })}
          >
            {payload.matrices.map((each) => (
              <option key={each.benchmark} value={String(each.benchmark)}>
                {payload.benchmarks[each.benchmark]}
              </option>
            ))}
          </select>
        ) : (
          <span>{payload.benchmarks[matrix.benchmark]}</span>
        )}
        {!own && selection.benchmark >= 0 && <span class="dim">(of {payload.benchmarks[selection.benchmark]} there is none)</span>}
        <span class="spacer" />
        <label>
          <span class="dim">Hide below</span>{" "}
          <input
            type="range"
            name="threshold"
            min="0"
            max={MOST_HIDDEN}
            step="0.005"
            value={threshold}
            onInput={(event) => setThreshold(Number(event.currentTarget.value))}
          />{" "}
          <output>{share(threshold)}</output>
        </label>
        <span class="dim hidden-count">{hidden === 0 ? "none hidden" : `${hidden} of ${model.count} hidden`}</span>
        <label>
          <span class="dim">Medium from</span>{" "}
          <input
            type="number"
            name="medium"
            min="1"
            max={thresholds.large}
            value={thresholds.medium}
            onChange={(event) => setThresholds({ ...thresholds, medium: count(event.currentTarget.value, thresholds.medium) })}
          />
        </label>
        <label>
          <span class="dim">large from</span>{" "}
          <input
            type="number"
            name="large"
            min={thresholds.medium}
            value={thresholds.large}
            onChange={(event) => setThresholds({ ...thresholds, large: count(event.currentTarget.value, thresholds.large) })}
          />{" "}
          <span class="dim">modified</span>
        </label>
        <button aria-pressed={tall} onClick={() => setTall(!tall)}>
          Tall rows
        </button>
        <button onClick={() => setCollapsed(new Set(model.children.flatMap((below, row) => (below.length > 0 && model.depth[row]! > 0 ? [row] : []))))}>
          Collapse all
        </button>
        <button onClick={() => setCollapsed(new Set())}>Expand all</button>
      </header>
      <Grid
        {...{ payload, model, colors, thresholds, rows, collapsed, expanded, tall, active }}
        selected={cell}
        pair={own ? selection : { before: -1, after: -1 }}
        popupOpen={popup.shown !== null}
        onActive={setActive}
        onAct={act}
        onFold={fold}
        onHover={popup.ask}
        onFocusCell={popup.ask}
        onEscape={() => (popup.shown ? popup.close() : setCell(null))}
        overlay={(layout, position) => graph && cell && <Arcs {...{ model, graph, layout, position }} row={cell.row} column={cell.column} />}
      />
      <MatrixKey payload={payload} medium={thresholds.medium} large={thresholds.large} />
      {graph && cell && (
        <CallGraphPanel
          {...{ payload, model, graph }}
          row={cell.row}
          column={cell.column}
          hasPair={selection.comparison >= 0}
          onRow={(row) => select({ row, column: cell.column })}
          onOpen={openBelow}
          onClose={() => setCell(null)}
        />
      )}
      {popup.shown && (
        <Popup {...{ payload, model }} {...popup.shown.place} beside={popup.shown.glyph} onEnter={popup.keep} onLeave={() => popup.ask(null, null)} />
      )}
    </section>
  );
}

/** What the glyphs mean, in the order they are read. */
function MatrixKey({ payload, medium, large }: { payload: Payload; medium: number; large: number }) {
  const [worse, better] = payload.better === "less" ? ["slower", "faster"] : ["worse", "better"];
  return (
    <p class="key dim">
      <span>
        <i class="top-key" /> top: modified functions, narrow under {medium}, wide under {large}, full from {large}
      </span>
      <span>
        <i class="bottom-key" /> bottom: height is inclusive cost, of a container that of its costliest function
      </span>
      <span>
        <i class="scale-key" /> colour: 100% {better} to 100% {worse} than the version before
      </span>
      <span>click a version for its timelines, a cell for its calls</span>
    </p>
  );
}

/** One popup, that waits before it opens and before it closes, so that the pointer can cross to it. */
function usePopup() {
  const [shown, setShown] = useState<{ place: Place; glyph: DOMRect } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const later = (milliseconds: number, what: () => void) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(what, milliseconds);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    shown,
    ask(place: Place | null, glyph: DOMRect | null) {
      if (place && glyph) later(shown ? 0 : OPENS_AFTER, () => setShown({ place, glyph }));
      else later(CLOSES_AFTER, () => setShown(null));
    },
    keep: () => clearTimeout(timer.current),
    close() {
      clearTimeout(timer.current);
      setShown(null);
    },
  };
}
