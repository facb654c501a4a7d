// The flame graphs as a file: the three of them, each as high as its highest stack, at the present zoom.

import type { DecodedComparison } from "../decode";
import type { Payload } from "../payload";
import type { Look, Saved } from "../save";
import { csv } from "../save/csv";
import type { Pen } from "../save/pen";
import { ofPair } from "../save/subject";
import type { Frames } from "./frames";
import type { GraphName, GraphSet } from "./graphs";
import { FlamesLegend } from "./legend";
import type { Names } from "./names";
import { Pencil, ROW, type Scene } from "./paint";
import { styleOf } from "./style";
import { widthsInWords } from "./words";

interface FlamesDrawing {
  payload: Payload;
  comparison: DecodedComparison;
  frames: Frames;
  set: GraphSet;
  names: Names;
  zoom: number;
  sceneOf: (graph: GraphName) => Scene;
  rangeOf: (graph: GraphName) => { from: number; to: number };
}

/** Pixels of "Difference"; the two sides stand above it, side by side. */
const WIDTH = 1600;
const GAP = 16;
const HEAD = { font: "600 12px system-ui, sans-serif", height: 22 };

export function flamesSaved(drawing: FlamesDrawing): Saved {
  const { payload, comparison, frames, set, names, zoom } = drawing;
  const zoomed = zoom === 0 ? "" : `Zoomed to ${names.full[frames.function[zoom]!]}. `;
  const height = (frames.height + 1) * ROW;
  const half = (WIDTH - GAP) / 2;
  return {
    ...ofPair(payload, comparison, "flame graphs", zoomed + widthsInWords(set.mode, payload.unit, comparison.before.label)),
    csv: () => framesAsCsv(payload, frames, names),
    legend: (modes) => <FlamesLegend {...{ payload, modes }} />,
    picture: (look) => ({
      width: WIDTH,
      height: 2 * (HEAD.height + height) + GAP,
      draw: (pen) => {
        drawGraph(pen, drawing, look, "before", `Before: ${comparison.before.label}, coloured by what a revert would do`, 0, 0, half, height);
        drawGraph(pen, drawing, look, "after", `After: ${comparison.after.label}, coloured by what the change did`, half + GAP, 0, half, height);
        drawGraph(pen, drawing, look, "diff", "Difference", 0, HEAD.height + height + GAP, WIDTH, height);
      },
    }),
  };
}

function drawGraph(pen: Pen, { payload, sceneOf, rangeOf }: FlamesDrawing, { colors }: Look, graph: GraphName, title: string, x: number, y: number, width: number, height: number): void {
  pen.save();
  pen.transform(1, 0, 0, 1, x, y);
  pen.font = HEAD.font;
  pen.textBaseline = "middle";
  pen.fillStyle = colors.text;
  pen.fillText(title, 0, HEAD.height / 2 - 2);
  pen.transform(1, 0, 0, 1, 0, HEAD.height);
  pen.globalAlpha = 1;
  new Pencil().draw(pen, sceneOf(graph), styleOf(colors, payload.better), { ...rangeOf(graph), bottom: 0 }, width, height, false);
  pen.restore();
}

/** One row a frame; `caller` is the number of another. */
function framesAsCsv(payload: Payload, frames: Frames, names: Names): string {
  const head = ["frame", "caller", "depth", "function", "source_changed", "before", "after", "self_before", "self_after", "unit"];
  const rows = [...Array(frames.count).keys()].map((frame) => {
    const of = frames.function[frame]!;
    const caller = frames.parent[frame]!;
    const { before, after } = frames;
    return [frame, caller < 0 ? null : caller, frames.depth[frame]!, names.full[of]!, names.changed[of]!, before.inclusive[frame]!, after.inclusive[frame]!, before.self[frame]!, after.self[frame]!, payload.unit];
  });
  return csv(head, rows);
}
