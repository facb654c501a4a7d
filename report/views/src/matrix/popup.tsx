// The popup beside a glyph that is hovered or focused: its numbers, and the source diff of a function (M10).

import { useLayoutEffect, useRef } from "preact/hooks";
import { DiffView } from "../diff";
import { delta, cost, share } from "../format";
import { origin } from "../names";
import type { Payload } from "../payload";
import { labelOf } from "./cell";
import { nameOf } from "./callgraph";
import type { MatrixModel } from "./model";

interface PopupProps {
  payload: Payload;
  model: MatrixModel;
  row: number;
  column: number;
  /** The glyph, in the window's pixels. */
  beside: DOMRect;
  onEnter: () => void;
  onLeave: () => void;
}

const GAP = 6;

export function Popup({ payload, model, row, column, beside, onEnter, onLeave }: PopupProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const popup = element.current!;
    const { width, height } = popup.getBoundingClientRect();
    const right = beside.right + GAP;
    const x = right + width <= window.innerWidth ? right : Math.max(GAP, beside.left - GAP - width);
    const below = beside.bottom + GAP;
    const y = below + height <= window.innerHeight ? below : Math.max(GAP, beside.top - GAP - height);
    popup.style.left = `${x}px`;
    popup.style.top = `${y}px`;
  });
  const { matrix } = model;
  const now = matrix.cost[row]![column]!;
  const earlier = column > 0 ? matrix.cost[row]![column - 1]! : -1;
  const modified = matrix.modified[row]![column]!;
  const func = matrix.rows.function[row]!;
  const version = matrix.columns[column]!;
  return (
    <div class="popup" role="tooltip" id="matrix-popup" ref={element} onPointerEnter={onEnter} onPointerLeave={onLeave} data-row={row} data-column={column}>
      <p>
        <strong>{nameOf(payload, model, row)}</strong>{" "}
        <span class="dim">
          {matrix.rows.kind[row]} in {labelOf(payload, model, column)}
        </span>
      </p>
      {func >= 0 && origin(payload, func) !== "" && <p class="dim" data-field="origin">{origin(payload, func)}</p>}
      <p>
        {cost(now, payload.unit)}, {share(now / matrix.totals[column]!)} of the total
        {matrix.rows.kind[row] !== "function" && <span class="dim"> (its most expensive function)</span>}
      </p>
      {earlier >= 0 ? (
        <p>
          {now === earlier ? "no change" : delta(earlier, now, payload.unit)} against {labelOf(payload, model, column - 1)}
        </p>
      ) : (
        <p class="dim">{column === 0 ? "first version" : `absent in ${labelOf(payload, model, column - 1)}`}</p>
      )}
      {func < 0 && modified > 0 && <p>{modified === 1 ? "1 modified function" : `${modified} modified functions`}</p>}
      {func >= 0 && column > 0 && modified > 0 && (
        <DiffView payload={payload} function={func} before={matrix.columns[column - 1]!} after={version} />
      )}
      {func >= 0 && column > 0 && modified === 0 && <p class="dim">source unchanged</p>}
    </div>
  );
}
