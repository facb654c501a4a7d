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
import { type Layout, layoutOf, partOf } from "./layout";
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

/** Pixels of a sheet of paper at which names on it can still be read, and columns that it has however long the names are. */
const SHEET = { width: 900, height: 1150, columns: 8 };

/** Half open. */
interface Range {
  first: number;
  end: number;
}

export function matrixSaved(drawing: MatrixDrawing): Saved {
  const { payload, model, rows } = drawing;
  const { matrix } = model;
  const columns = { first: 0, end: matrix.columns.length };
  const drawn = rows.slice(0, Math.max(1, Math.floor(MOST_CELLS / Math.max(1, columns.end))));
  const left = drawn.length < rows.length ? `. The first ${drawn.length} of ${rows.length} rows` : "";
  const words = `Height: inclusive cost in ${payload.unit}; colour: change against the version before${left}`;
  const subject = overVersions(payload, matrix.columns, "matrix", payload.benchmarks[matrix.benchmark] ?? "", words);
  const label = (column: number) => labelOf(payload, model, column);
  const part = (look: Look, rows: number[], columns: Range) => pictureOf("matrix", () => <Part {...{ ...drawing, rows, columns, look }} layout={wholeLayout(drawing)} />);
  return {
    ...subject,
    csv: () => asCsv(payload, model),
    legend: (modes) => <MatrixLegend {...{ payload, modes }} />,
    picture: (look) => part(look, drawn, columns),
    sheets: (look) => {
      const parts = partsOf(wholeLayout(drawing), drawn.length, columns.end);
      return parts.map(({ across, down }, at) => {
        const place = `sheet ${at + 1} of ${parts.length}: ${label(across.first)} to ${label(across.end - 1)}, rows ${down.first + 1} to ${down.end}`;
        return {
          title: parts.length === 1 ? subject.title : `${subject.title}; ${place}`,
          picture: part(look, [...containersOf(model, drawn, down.first), ...drawn.slice(down.first, down.end)], across),
        };
      });
    },
  };
}

/** The layout of all columns, with names in full. */
function wholeLayout({ payload, model, rows, expanded, tall }: MatrixDrawing): Layout {
  const labels = model.matrix.columns.map((_, column) => labelOf(payload, model, column));
  const longest = Math.max(...rows.map((row) => model.depth[row]! * INDENT + text(payload, model.matrix.rows.name[row]!).length * CHARACTER));
  return layoutOf(0, labels, expanded, tall, Math.ceil(longest) + AROUND_NAME + SHARE);
}

/** What the sheets of paper show: the same rows over all columns, then the rows below them. */
function partsOf(layout: Layout, rows: number, columns: number): { across: Range; down: Range }[] {
  const room = Math.max(SHEET.width, layout.nameWidth + SHEET.columns * layout.cellWidth);
  const across: Range[] = [];
  for (let first = 0, end = 1; first < columns; first = end++) {
    while (end < columns && partOf(layout, first, end + 1).width <= room) end++;
    across.push({ first, end });
  }
  const most = Math.floor((SHEET.height - layout.headHeight) / layout.rowHeight);
  const sheets = Math.ceil(rows / most);
  const down = Array.from({ length: sheets }, (_, at) => ({ first: Math.round((at * rows) / sheets), end: Math.round(((at + 1) * rows) / sheets) }));
  return down.flatMap((down) => across.map((across) => ({ across, down })));
}

/** The containers that hold the row at a position and are rows before it, outermost first. */
function containersOf(model: MatrixModel, rows: number[], at: number): number[] {
  const before = new Set(rows.slice(0, at));
  return model.ancestors(rows[at] ?? -1).filter((row) => before.has(row)).reverse();
}

interface PartProps extends MatrixDrawing {
  look: Look;
  /** Of all columns. */
  layout: Layout;
  columns: Range;
}

function Part({ payload, model, thresholds, rows, collapsed, expanded, selected, steps, graph, pair, look, layout: whole, columns: { first, end } }: PartProps) {
  const layout = partOf(whole, first, end);
  const columns = Array.from({ length: end - first }, (_, at) => first + at);
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
        {graph && selected && steps && columns.includes(steps.last) && <Arcs {...{ model, graph, steps, layout, position }} row={selected.row} />}
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
