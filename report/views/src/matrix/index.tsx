// The performance evolution matrix (M1 to M10): its controls, the grid, the popup and the call graph of the selected cell.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDescriptions, useKeys } from "../keys";
import type { Matrix, Payload } from "../payload";
import { SaveMenu } from "../save";
import { Printed } from "../save/printed";
import { type Store, useStore } from "../state";
import { useColors } from "../theme";
import { Arcs } from "./arcs";
import { CallGraphPanel } from "./callgraph";
import { Controls, type Options, OPTIONS } from "./controls";
import { Grid } from "./grid";
import "./matrix.css";
import { MatrixModel } from "./model";
import type { Place } from "./place";
import { matrixSaved } from "./save";
import { areSeveral, type Steps, stepsTo, stretched } from "./steps";
import { Popup } from "./popup";

/** Milliseconds before a popup opens, and before it closes once the pointer left its glyph for it. */
const OPENS_AFTER = 250;
const CLOSES_AFTER = 150;

export function MatrixView({ payload, store }: { payload: Payload; store: Store }) {
  const { selection } = useStore(store);
  const [options, setOptions] = useState(OPTIONS);
  const matrix = payload.matrices.find((each) => each.benchmark === selection.benchmark) ?? payload.matrices[0]!;
  // Another matrix has other rows: nothing that names a row or a column outlives it.
  return <Body key={matrix.benchmark} {...{ payload, store, matrix, options }} onOptions={setOptions} />;
}

interface BodyProps {
  payload: Payload;
  store: Store;
  matrix: Matrix;
  options: Options;
  onOptions: (options: Options) => void;
}

function Body({ payload, store, matrix, options, onOptions }: BodyProps) {
  const { selection, modes } = useStore(store);
  const colors = useColors(modes);
  const own = matrix.benchmark === selection.benchmark;
  const model = useMemo(() => new MatrixModel(matrix), [matrix]);
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(() => new Set(model.foreignPackages(payload)));
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const [active, setActive] = useState<Place | null>(null);
  const [cell, setCell] = useState<Place | null>(null);
  const rows = useMemo(() => model.visible(collapsed, options.threshold, options.onlyMoving), [model, collapsed, options.threshold, options.onlyMoving]);
  const popup = usePopup();

  const steps = useMemo(() => (cell ? stepsTo(cell.column, matrix, selection) : null), [cell, matrix, selection]);
  const select = (row: number, { base, last }: Steps) => {
    setCell({ row, column: last });
    setActive({ row, column: last });
    store.select({ benchmark: matrix.benchmark, before: matrix.columns[base] ?? -1, after: matrix.columns[last]!, function: matrix.rows.function[row]! });
  };
  const fold = (row: number, to: boolean) => {
    const next = new Set(collapsed);
    if (to) next.add(row);
    else next.delete(row);
    setCollapsed(next);
  };
  /** The project stays open: closed, it would be all there is. */
  const foldAll = (to: boolean) => {
    setCollapsed(new Set(to ? model.children.flatMap((_, row) => (model.isContainer(row) && model.depth[row]! > 0 ? [row] : [])) : []));
  };
  const openBelow = () => document.querySelector<HTMLElement>("[role=tabpanel]:not([hidden])")?.scrollIntoView({ block: "start" });
  const act = (place: Place, together: boolean) => {
    setActive(place);
    if (place.row < 0) {
      if (place.column < 0 || !model.hasTimeline(place.column)) return;
      const next = new Set(expanded);
      if (!next.delete(place.column)) next.add(place.column);
      setExpanded(next);
    } else if (place.column < 0) {
      if (model.isContainer(place.row)) fold(place.row, !collapsed.has(place.row));
      else store.select({ function: matrix.rows.function[place.row]! });
    } else if (together && steps) select(place.row, stretched(steps, place.column));
    else if (steps && cell?.row === place.row && cell.column === place.column && !areSeveral(steps)) openBelow();
    else select(place.row, { base: place.column - 1, last: place.column });
  };

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

  // Wherever the focus is: what a pointer opened must be possible to put away.
  useKeys([{ key: "Escape", what: "Close the popup, then the call graph", where: "Matrix", run: () => (popup.shown ? popup.close() : false) }]);
  useDescriptions([
    { key: "↑ ↓ ← →", what: "Move; on a name → opens and ← closes it", where: "Matrix" },
    { key: "Home End", what: "Name and last version; with Ctrl first and last row", where: "Matrix" },
    { key: "Shift+Enter", what: "On a cell: its version and the selected one together, with all between; as Shift+click", where: "Matrix" },
    { key: "Enter", what: "On a cell: its calls, and its pair below; once more: go there. On a name: open or close it. On a version: its timelines", where: "Matrix" },
  ]);

  const graph = useMemo(() => (cell && steps ? model.callGraph(cell.row, steps) : null), [model, cell, steps]);
  const pair = own ? selection : { before: -1, after: -1 };
  const saved = matrixSaved({ payload, model, thresholds: options.thresholds, rows, collapsed, expanded, tall: options.tall, selected: cell, steps, graph, pair });
  return (
    <section class="matrix" aria-labelledby="matrix-title">
      <Controls
        {...{ payload, model, options, onOptions }}
        missing={own ? -1 : selection.benchmark}
        onBenchmark={(benchmark) => store.select({ benchmark })}
        onFold={foldAll}
        save={<SaveMenu {...{ saved, modes }} />}
      />
      <Printed {...{ saved, modes }} />
      <Grid
        {...{ payload, model, colors, rows, collapsed, expanded, active, steps }}
        thresholds={options.thresholds}
        tall={options.tall}
        selected={cell}
        pair={pair}
        popupOpen={popup.shown !== null}
        onActive={setActive}
        onAct={act}
        onFold={fold}
        onHover={popup.ask}
        onFocusCell={popup.ask}
        onEscape={() => (popup.shown ? popup.close() : setCell(null))}
        overlay={(layout, position) => graph && cell && steps && <Arcs {...{ model, graph, steps, layout, position }} row={cell.row} />}
      />
      {graph && cell && steps && (
        <CallGraphPanel
          {...{ payload, model, graph, steps }}
          row={cell.row}
          hasPair={selection.comparison >= 0}
          onRow={(row) => select(row, steps)}
          onBase={(base) => select(cell.row, { ...steps, base })}
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
