// The head of a version's column: its label, which side of the selected pair it is, and whether its timelines are open.

import { integer, middle } from "../format";
import type { Payload } from "../payload";
import { type Layout, LONGEST_LABEL } from "./layout";
import type { MatrixModel } from "./model";
import { idOf } from "./place";

interface HeadProps {
  payload: Payload;
  model: MatrixModel;
  column: number;
  layout: Layout;
  /** Versions of the selected pair. */
  pair: { before: number; after: number };
  open: boolean;
}

export function Head({ payload, model, column, layout, pair, open }: HeadProps) {
  const version = model.matrix.columns[column]!;
  const { label, commit, summary } = payload.versions[version]!;
  const recorded = model.frames(column);
  const side = version === pair.after ? "after" : version === pair.before ? "before" : undefined;
  return (
    <div
      role="columnheader"
      class={layout.rotated ? "version rotated" : "version"}
      id={idOf({ row: -1, column })}
      aria-colindex={column + 2}
      aria-expanded={recorded ? open : undefined}
      data-column={column}
      data-side={side}
      title={`${label} (${commit.slice(0, 10)}): ${summary}${recorded ? "\nClick for execution timelines" : ""}`}
      style={{ left: `${layout.left[column]!}px`, width: `${layout.left[column + 1]! - layout.left[column]!}px` }}
    >
      <span class="label" style={{ width: `${layout.cellWidth}px` }}>
        {layout.rotated ? middle(label, LONGEST_LABEL) : label}
      </span>
      {open && recorded && (
        <span class="dim frames" style={{ left: `${layout.cellWidth + 2}px` }}>
          {integer(recorded.frames)} frames of {recorded.unit}
        </span>
      )}
    </div>
  );
}
