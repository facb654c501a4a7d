// A row of the matrix: the component's name, indented by its depth, its cells, and timelines of the versions that are open.

import { Component } from "preact";
import type { Colors } from "../colors";
import { labelWithin, share } from "../format";
import { text } from "../names";
import type { Payload } from "../payload";
import { Cell } from "./cell";
import type { Layout } from "./layout";
import type { MatrixModel, Thresholds } from "./model";
import { idOf } from "./place";
import { isStep, type Steps } from "./steps";
import { Timeline } from "./timeline";

/** Pixels a character of a name, of fold and air around it, and of the share beside it. */
export const CHARACTER = 7.4;
export const AROUND_NAME = 32;
export const SHARE = 56;
/** Pixels a level. */
export const INDENT = 14;

interface RowProps {
  payload: Payload;
  model: MatrixModel;
  colors: Colors;
  thresholds: Thresholds;
  expanded: ReadonlySet<number>;
  row: number;
  /** Its position among the rows in sight. */
  at: number;
  layout: Layout;
  columns: number[];
  collapsed: boolean;
  /** null where another row is selected, or none. */
  steps: Steps | null;
  place: number;
  siblings: number;
}

/** A class, because only rows that come into the window may cost anything when it scrolls. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return (Object.keys(next) as (keyof RowProps)[]).some((key) => next[key] !== this.props[key]);
  }

  override render({ payload, model, row, at, layout, columns, collapsed, expanded, colors, thresholds, steps, place, siblings }: RowProps) {
    const { rowHeight, left } = layout;
    return (
      <div
        role="row"
        class={steps ? "row selected" : "row"}
        aria-rowindex={at + 2}
        aria-level={model.depth[row]! + 1}
        aria-posinset={place}
        aria-setsize={siblings}
        aria-expanded={model.isContainer(row) ? !collapsed : undefined}
        style={{ top: `${at * rowHeight}px`, height: `${rowHeight}px`, width: `${layout.width}px` }}
        data-component={row}
        data-kind={model.matrix.rows.kind[row]}
      >
        <Name {...{ payload, model, row, layout, collapsed }} />
        {columns.map((column) => (
          <Cell
            key={column}
            id={idOf({ row, column })}
            {...{ payload, model, row, column, layout, colors, thresholds }}
            x={left[column]!}
            selected={steps !== null && isStep(steps, column)}
          />
        ))}
        {columns.map(
          (column) => expanded.has(column) && <Timeline key={`t${column}`} {...{ model, row, column, rowHeight }} x={left[column]! + layout.cellWidth + 2} />,
        )}
      </div>
    );
  }
}

function Name({ payload, model, row, layout, collapsed }: { payload: Payload; model: MatrixModel; row: number; layout: Layout; collapsed: boolean }) {
  const { rows } = model.matrix;
  const name = text(payload, rows.name[row]!);
  const container = model.isContainer(row);
  const room = Math.floor((layout.nameWidth - (layout.hasShares ? AROUND_NAME + SHARE : AROUND_NAME) - model.depth[row]! * INDENT) / CHARACTER);
  return (
    <div
      role="rowheader"
      class="name"
      id={idOf({ row, column: -1 })}
      aria-colindex={1}
      data-kind={rows.kind[row]}
      title={`${rows.kind[row]} ${name}`}
      style={{ width: `${layout.nameWidth}px`, paddingLeft: `${8 + model.depth[row]! * INDENT}px` }}
    >
      <span class="fold" aria-hidden="true">
        {container ? (collapsed ? "▸" : "▾") : ""}
      </span>
      <span class="text">{labelWithin(name, room)}</span>
      {layout.hasShares && <span class="share">{share(rows.share[row]!)}</span>}
    </div>
  );
}
