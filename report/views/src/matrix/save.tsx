// The matrix as a file: all rows and columns that are unfolded, with names in full; the numbers are those of all rows.

import { fullName, text } from "../names";
import type { Payload } from "../payload";
import type { Look, Saved } from "../save";
import { type Cell, csv } from "../save/csv";
import { pictureOf } from "../save/picture";
import { overVersions } from "../save/subject";
import { Arcs } from "./arcs";
import { labelOf } from "./cell";
import { Head } from "./head";
import { layoutOf } from "./layout";
import { MatrixLegend } from "./legend";
import type { CallGraph, MatrixModel, Thresholds } from "./model";
import type { Place } from "./place";
import { AROUND_NAME, CHARACTER, INDENT, Row, SHARE } from "./row";
import type { Steps } from "./steps";

interface MatrixDrawing {
  payload: Payload;
  model: MatrixModel;
  thresholds: Thresholds;
  rows: number[];
  collapsed: ReadonlySet<number>;
  expanded: ReadonlySet<number>;
  tall: boolean;
  selected: Place | null;
  steps: Steps | null;
  graph: CallGraph | null;
  pair: { before: number; after: number };
}

/** More cells are no picture that a program opens quickly: rows beyond them are left out, and the title says so. */
const MOST_CELLS = 20_000;

export function matrixSaved(drawing: MatrixDrawing): Saved {
  const { payload, model, rows } = drawing;
  const { matrix } = model;
  const drawn = rows.slice(0, Math.max(1, Math.floor(MOST_CELLS / Math.max(1, matrix.columns.length))));
  const left = drawn.length < rows.length ? `. The first ${drawn.length} of ${rows.length} rows` : "";
  const words = `Height: inclusive cost in ${payload.unit}; colour: change against the version before${left}`;
  return {
    ...overVersions(payload, matrix.columns, "matrix", payload.benchmarks[matrix.benchmark] ?? "", words),
    csv: () => asCsv(payload, model),
    legend: (modes) => <MatrixLegend {...{ payload, modes }} />,
    picture: (look) => pictureOf("matrix", () => <Whole {...drawing} rows={drawn} look={look} />),
  };
}

function Whole({ payload, model, thresholds, rows, collapsed, expanded, tall, selected, steps, graph, pair, look }: MatrixDrawing & { look: Look }) {
  const { matrix } = model;
  const labels = matrix.columns.map((_, column) => labelOf(payload, model, column));
  const longest = Math.max(...rows.map((row) => model.depth[row]! * INDENT + text(payload, matrix.rows.name[row]!).length * CHARACTER));
  const layout = layoutOf(0, labels, expanded, tall, Math.ceil(longest) + AROUND_NAME + SHARE);
  const columns = labels.map((_, column) => column);
  const position = new Map(rows.map((row, at) => [row, at]));
  const width = `${layout.width}px`;
  return (
    <div class="treegrid">
      <div class="heads" style={{ width, height: `${layout.headHeight}px` }}>
        <div class="row" style={{ width, height: `${layout.headHeight}px` }}>
          <div class="corner" style={{ width: `${layout.nameWidth}px` }}>
            Component <span class="dim">share</span>
          </div>
          {columns.map((column) => (
            <Head key={column} {...{ payload, model, column, layout, pair }} open={expanded.has(column)} />
          ))}
        </div>
      </div>
      <div class="rows" style={{ width, height: `${rows.length * layout.rowHeight}px` }}>
        {rows.map((row, at) => (
          <Row
            key={row}
            {...{ payload, model, row, at, layout, columns, expanded, thresholds }}
            colors={look.colors}
            collapsed={collapsed.has(row)}
            steps={selected?.row === row ? steps : null}
            place={0}
            siblings={0}
          />
        ))}
        {graph && selected && steps && <Arcs {...{ model, graph, steps, layout, position }} row={selected.row} />}
      </div>
    </div>
  );
}

/** One row a component and version. */
function asCsv(payload: Payload, model: MatrixModel): string {
  const { matrix } = model;
  const { rows } = matrix;
  const name = (row: number) => {
    const of = rows.function[row]!;
    if (of >= 0) return fullName(payload, of);
    const path = [row, ...model.ancestors(row)].filter((each) => rows.parent[each]! >= 0 || each === row);
    return path.reverse().map((each) => text(payload, rows.name[each]!)).join("::");
  };
  const head = ["component", "kind", "version", "commit", "cost", "unit", "change", "modified_functions"];
  const cells = rows.parent.flatMap((_, row) => {
    const component = name(row);
    return matrix.columns.map((version, column): Cell[] => {
      const { label, commit } = payload.versions[version]!;
      const cost = matrix.cost[row]![column]!;
      return [component, rows.kind[row]!, label, commit, cost < 0 ? null : cost, payload.unit, matrix.change[row]![column] ?? null, matrix.modified[row]![column]!];
    });
  });
  return csv(head, cells);
}
