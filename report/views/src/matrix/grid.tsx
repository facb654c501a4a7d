// The matrix itself, a treegrid: an indented tree of components against versions; only the part in the window is
// rendered. One tab stop; `active` is what the keyboard is on.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Colors } from "../colors";
import type { Payload } from "../payload";
import { labelOf } from "./cell";
import { Head } from "./head";
import { inWindow, layoutOf, type Layout } from "./layout";
import type { MatrixModel, Thresholds } from "./model";
import { idOf, type Place } from "./place";
import { Row } from "./row";
import type { Steps } from "./steps";

interface GridProps {
  payload: Payload;
  model: MatrixModel;
  colors: Colors;
  thresholds: Thresholds;
  rows: number[];
  collapsed: ReadonlySet<number>;
  expanded: ReadonlySet<number>;
  tall: boolean;
  active: Place | null;
  selected: Place | null;
  /** Versions of the selected component that are taken together. */
  steps: Steps | null;
  /** Versions of the selected pair. */
  pair: { before: number; after: number };
  popupOpen: boolean;
  onActive: (place: Place) => void;
  /** Click, Enter or Space; `together` with Shift: also the versions between. */
  onAct: (place: Place, together: boolean) => void;
  onFold: (row: number, fold: boolean) => void;
  /** null: the pointer left. */
  onHover: (place: Place | null, glyph: DOMRect | null) => void;
  onFocusCell: (place: Place | null, glyph: DOMRect | null) => void;
  onEscape: () => void;
  overlay: (layout: Layout, position: Map<number, number>) => ComponentChildren;
}

const PAGE = 10;

export function Grid(props: GridProps) {
  const { payload, model, rows, collapsed, expanded, active, selected, pair } = props;
  const host = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [scroll, setScroll] = useState({ left: 0, top: 0 });
  const byKeyboard = useRef(false);
  const labels = useMemo(() => model.matrix.columns.map((_, column) => labelOf(payload, model, column)), [payload, model]);
  const layout = useMemo(() => layoutOf(size.width, labels, expanded, props.tall), [size.width, labels, expanded, props.tall]);
  const position = useMemo(() => new Map(rows.map((row, at) => [row, at])), [rows]);
  const body = rows.length * layout.rowHeight;
  const total = layout.width;

  // The height it may grow to, not the one that it has: rows that unfold are there before the next resize is observed.
  useLayoutEffect(() => {
    const element = host.current!;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: parseFloat(getComputedStyle(element).maxHeight) }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // The newest versions tell most; the selected pair tells more.
  const opened = useRef(false);
  useLayoutEffect(() => {
    if (opened.current || size.width === 0) return;
    opened.current = true;
    const after = model.matrix.columns.indexOf(pair.after);
    host.current!.scrollLeft = after < 0 ? total : layout.left[after]! + layout.cellWidth - (size.width + layout.nameWidth) / 2;
  }, [size.width]);

  // Keep what the keyboard is on in sight, clear of the sticky head and names.
  useLayoutEffect(() => {
    const at = active && position.get(active.row);
    if (!active || !host.current || size.width === 0) return;
    const element = host.current;
    if (at !== undefined && at !== null) {
      const top = at * layout.rowHeight;
      if (top < element.scrollTop) element.scrollTop = top;
      const bottom = top + layout.rowHeight + layout.headHeight;
      if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    }
    if (active.column >= 0) {
      const [left, right] = [layout.left[active.column]!, layout.left[active.column + 1]!];
      if (left - layout.nameWidth < element.scrollLeft) element.scrollLeft = left - layout.nameWidth;
      if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
    }
  }, [active, layout, size]);

  const { firstRow, endRow, firstColumn, endColumn } = inWindow(layout, rows.length, scroll, size);
  const columns = useMemo(() => Array.from({ length: endColumn - firstColumn }, (_, at) => firstColumn + at), [firstColumn, endColumn]);
  const rendered = rows.slice(firstRow, endRow).map((row, index) => (
    <Row
      key={row}
      {...{ payload, model, row, layout, columns, expanded, colors: props.colors, thresholds: props.thresholds, ...placeAmongSiblings(model, row, position) }}
      at={firstRow + index}
      collapsed={collapsed.has(row)}
      steps={selected?.row === row ? props.steps : null}
    />
  ));

  const placeOf = (event: Event): { place: Place; element: Element } | null => {
    const element = (event.target as Element).closest("[data-column], [data-component]");
    if (!element || !host.current!.contains(element)) return null;
    const row = Number(element.closest("[data-component]")?.getAttribute("data-component") ?? -1);
    return { place: { row, column: Number(element.getAttribute("data-column") ?? -1) }, element };
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return;
    byKeyboard.current = true;
    if (event.key === "Escape") {
      props.onEscape();
      return event.preventDefault();
    }
    const from = active && (active.row < 0 || position.has(active.row)) ? active : { row: rows[0] ?? -1, column: -1 };
    if (event.key === "Enter" || event.key === " ") {
      props.onAct(from, event.shiftKey);
    } else {
      const next = move(event, from, props, position);
      if (!next) return;
      if (next !== "folded") props.onActive(next);
    }
    event.preventDefault();
  };

  // Keyboard focus is followed like the pointer: whatever it is on shows its popup.
  useLayoutEffect(() => {
    if (!byKeyboard.current || !active) return;
    const element = document.getElementById(idOf(active));
    const glyph = active.row >= 0 && active.column >= 0 && element && !element.hasAttribute("data-absent") ? element.getBoundingClientRect() : null;
    props.onFocusCell(glyph ? active : null, glyph);
  }, [active]);

  return (
    <div
      class="treegrid"
      role="treegrid"
      aria-label="Evolution of each component over the versions"
      aria-multiselectable="true"
      aria-rowcount={rows.length + 1}
      aria-colcount={labels.length + 1}
      aria-activedescendant={active ? idOf(active) : undefined}
      aria-describedby={props.popupOpen ? "matrix-popup" : undefined}
      tabIndex={0}
      ref={host}
      onScroll={(event) => setScroll({ left: event.currentTarget.scrollLeft, top: event.currentTarget.scrollTop })}
      onKeyDown={onKeyDown}
      onFocus={() => !active && rows.length > 0 && props.onActive({ row: rows[0]!, column: -1 })}
      onBlur={() => {
        byKeyboard.current = false;
        props.onFocusCell(null, null);
      }}
      onClick={(event) => {
        byKeyboard.current = false;
        const found = placeOf(event);
        if (found) props.onAct(found.place, event.shiftKey);
      }}
      onPointerOver={(event) => {
        const found = placeOf(event);
        const glyph = found && found.place.row >= 0 && found.place.column >= 0 && !found.element.hasAttribute("data-absent");
        props.onHover(glyph ? found.place : null, glyph ? found.element.getBoundingClientRect() : null);
      }}
      onPointerLeave={() => props.onHover(null, null)}
    >
      <div role="rowgroup" class="heads" style={{ width: `${total}px`, height: `${layout.headHeight}px` }}>
        <div role="row" aria-rowindex={1} class="row" style={{ height: `${layout.headHeight}px`, width: `${total}px` }}>
          <div role="columnheader" aria-colindex={1} class="corner" id={idOf({ row: -1, column: -1 })} style={{ width: `${layout.nameWidth}px` }}>
            Component {layout.hasShares && <span class="dim">share</span>}
          </div>
          {columns.map((column) => (
            <Head key={column} {...{ payload, model, column, layout, pair }} open={expanded.has(column)} />
          ))}
        </div>
      </div>
      <div role="rowgroup" class="rows" style={{ width: `${total}px`, height: `${body}px` }}>
        {rendered}
        {props.overlay(layout, position)}
        {active && active.column >= 0 && position.has(active.row) && (
          <div
            class="cursor"
            aria-hidden="true"
            style={{
              left: `${layout.left[active.column]!}px`,
              top: `${position.get(active.row)! * layout.rowHeight}px`,
              width: `${layout.cellWidth}px`,
              height: `${layout.rowHeight}px`,
            }}
          />
        )}
      </div>
    </div>
  );
}

function placeAmongSiblings(model: MatrixModel, row: number, position: Map<number, number>): { place: number; siblings: number } {
  const parent = model.matrix.rows.parent[row]!;
  const siblings = parent < 0 ? [row] : model.children[parent]!.filter((each) => position.has(each));
  return { place: siblings.indexOf(row) + 1, siblings: siblings.length };
}

/** Where a key leads; "folded" where it only opened or closed a row. */
function move(event: KeyboardEvent, from: Place, { model, rows, collapsed, onFold }: GridProps, position: Map<number, number>): Place | "folded" | null {
  const { row, column } = from;
  const at = row < 0 ? -1 : position.get(row)!;
  const last = model.matrix.columns.length - 1;
  const toRow = (index: number): Place => ({ row: index < 0 ? -1 : rows[Math.min(rows.length - 1, index)]!, column });
  const folds = row >= 0 && column < 0 && model.isContainer(row);
  switch (event.key) {
    case "ArrowUp":
      return toRow(Math.max(-1, at - 1));
    case "ArrowDown":
      return toRow(at + 1);
    case "PageUp":
      return toRow(Math.max(0, at - PAGE));
    case "PageDown":
      return toRow(at + PAGE);
    case "Home":
      return event.ctrlKey ? { row: rows[0]!, column } : { row, column: -1 };
    case "End":
      return event.ctrlKey ? { row: rows.at(-1)!, column } : { row, column: last };
    case "ArrowRight":
      if (folds && collapsed.has(row)) {
        onFold(row, false);
        return "folded";
      }
      return { row, column: Math.min(last, column + 1) };
    case "ArrowLeft":
      if (column >= 0) return { row, column: column - 1 };
      if (folds && !collapsed.has(row)) {
        onFold(row, true);
        return "folded";
      }
      return row >= 0 && model.matrix.rows.parent[row]! >= 0 ? { row: model.matrix.rows.parent[row]!, column } : from;
    default:
      return null;
  }
}
