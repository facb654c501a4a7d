// The glyph of a component in a version: a top box for modified functions, a bottom box for cost and its change (M4 to M7).

import { diverging, inkOn, type Colors } from "../colors";
import { arrow, cost, integer, signedShare } from "../format";
import type { Payload } from "../payload";
import type { Layout } from "./layout";
import { type MatrixModel, stepOf, type Thresholds } from "./model";

/** Pixels of a cell: its edge, the top box, what lies between the boxes. */
const EDGE = 2;
const TOP = 3;
const BETWEEN = 1;
const STEP_WIDTH = { none: 0, small: 1 / 3, medium: 2 / 3, large: 1 };
/** A glyph needs this many pixels, in its box or above it. */
const GLYPH = 8;
/** Changes that round to less have no glyph. */
const LEAST_GLYPH = 0.005;

interface CellProps {
  id: string;
  payload: Payload;
  model: MatrixModel;
  row: number;
  column: number;
  x: number;
  layout: Layout;
  colors: Colors;
  thresholds: Thresholds;
  selected: boolean;
}

export function Cell({ id, payload, model, row, column, x, layout, colors, thresholds, selected }: CellProps) {
  const { matrix } = model;
  const value = matrix.cost[row]![column]!;
  const change = matrix.change[row]![column] ?? null;
  const modified = matrix.modified[row]![column]!;
  const common = {
    id,
    role: "gridcell" as const,
    class: "cell",
    "aria-colindex": column + 2,
    "aria-selected": selected,
    "data-row": row,
    "data-column": column,
    "data-kind": matrix.rows.kind[row],
    style: { left: `${x}px`, width: `${layout.cellWidth}px` },
  };
  if (value < 0) return <div {...common} data-absent="" aria-label={`${labelOf(payload, model, column)}: absent`} />;

  const width = layout.cellWidth - 2 * EDGE;
  const tallest = layout.rowHeight - TOP - BETWEEN - 2;
  const height = model.greatest > 0 ? (value / model.greatest) * tallest : 0;
  const step = stepOf(modified, thresholds);
  const color = change === null ? colors.neutral : diverging(change, colors, payload.better);
  const glyph = change !== null && Math.abs(change) >= LEAST_GLYPH ? arrow(change) : "";
  const inBox = height >= GLYPH;
  return (
    <div
      {...common}
      data-cost={value}
      data-change={change ?? ""}
      data-modified={modified}
      data-step={step}
      aria-label={inWords(payload, model, row, column)}
    >
      {step !== "none" && <div class="top" style={{ width: `${width * STEP_WIDTH[step]}px` }} />}
      <div class="bottom" style={{ height: `${height}px`, background: color }} />
      {glyph && (
        <span class="arrow" style={{ bottom: `${inBox ? 1 : height + 1}px`, color: inBox ? inkOn(color) : colors.text }}>
          {glyph}
        </span>
      )}
    </div>
  );
}

/** "v1.3: 1.2 M instructions, +12.0% against v1.2, 2 modified functions". */
export function inWords(payload: Payload, model: MatrixModel, row: number, column: number): string {
  const { matrix } = model;
  const change = matrix.change[row]![column] ?? null;
  const modified = matrix.modified[row]![column]!;
  const parts = [cost(matrix.cost[row]![column]!, payload.unit)];
  if (change !== null) parts.push(`${signedShare(change)} against ${labelOf(payload, model, column - 1)}`);
  if (modified > 0) parts.push(matrix.rows.kind[row] === "function" ? "modified" : `${integer(modified)} modified function${modified === 1 ? "" : "s"}`);
  return `${labelOf(payload, model, column)}: ${parts.join(", ")}`;
}

export function labelOf(payload: Payload, model: MatrixModel, column: number): string {
  return payload.versions[model.matrix.columns[column]!]!.label;
}
