// The call graph drawn into the matrix: arrows into the selected glyphs from their callers' rows on the left, out of them to
// their callees' rows on the right (M9). A row out of sight is stood for by the container that hides it.

import type { Layout } from "./layout";
import { type CallGraph, edgeChange, type EdgeChange, type MatrixModel, type Neighbour } from "./model";
import type { Steps } from "./steps";

interface ArcsProps {
  model: MatrixModel;
  graph: CallGraph;
  row: number;
  steps: Steps;
  /** Position of each row in sight. */
  position: Map<number, number>;
  layout: Layout;
}

const FARTHEST = 56;

export function Arcs({ model, graph, row, steps, position, layout }: ArcsProps) {
  const own = position.get(row);
  if (own === undefined) return null;
  const middle = (at: number) => (at + 0.5) * layout.rowHeight + 1;
  const left = layout.left[steps.base + 1]!;
  const right = layout.left[steps.last]! + layout.cellWidth;
  const arc = (from: number, to: number, x: number, outward: -1 | 1) => {
    const [start, end] = [middle(from), middle(to)];
    const reach = x + outward * Math.min(FARTHEST, 14 + Math.abs(end - start) * 0.18);
    return `M${x} ${start}C${reach} ${start} ${reach} ${end} ${x} ${end}`;
  };
  const head = (to: number, x: number, outward: -1 | 1) => `M${x} ${middle(to)}l${outward * 6} -3.5v7z`;
  const draw = (neighbours: Neighbour[], side: "caller" | "callee") =>
    visibleEnds(model, neighbours, row, position, graph.first).map(({ at, end, change }) => {
      const caller = side === "caller";
      const [x, outward] = caller ? ([left, -1] as const) : ([right, 1] as const);
      return (
        <g key={`${side} ${at}`} data-arc={side} data-arc-row={at} data-edge={change}>
          <path class="arc" d={caller ? arc(end, own, x, outward) : arc(own, end, x, outward)} />
          <path class="head" d={head(caller ? own : end, x, outward)} />
        </g>
      );
    });
  return (
    <svg class="arcs" width={layout.left.at(-1)} height={position.size * layout.rowHeight} aria-hidden="true">
      {draw(graph.callers, "caller")}
      {draw(graph.callees, "callee")}
    </svg>
  );
}

function visibleEnds(model: MatrixModel, neighbours: Neighbour[], row: number, position: Map<number, number>, first: boolean) {
  const sums = new Map<number, Neighbour>();
  for (const each of neighbours) {
    if (each.row < 0) continue;
    const at = [each.row, ...model.ancestors(each.row)].find((candidate) => position.has(candidate));
    if (at === undefined || model.isWithin(row, at)) continue;
    const known = sums.get(at) ?? { ...each, before: 0, after: 0 };
    sums.set(at, { ...known, before: known.before + each.before, after: known.after + each.after });
  }
  return [...sums].map(([at, sum]): { at: number; end: number; change: EdgeChange } => ({ at, end: position.get(at)!, change: edgeChange(sum, first) }));
}
