// The evolution chart as a file: uPlot's lines and axes are drawn again, because a canvas cannot be read as lines; marks
// and scores are those of the page; what every line is stands below.

import { lineStyle } from "../colors";
import { compact, shortenPath, signedShare } from "../format";
import type { Payload, Series } from "../payload";
import type { Look, Saved } from "../save";
import { drawElement, staged } from "../save/elements";
import { type Pen, textWidth } from "../save/pen";
import { overVersions } from "../save/subject";
import { ChartLegend } from "./legend";
import { Marks } from "./marks";
import { DIMMED, FONT, type Frame, type Line } from "./plot";
import { lastValue, type Point, type Scale, toCsv, wholeChange } from "./points";
import { ScoreRow } from "./score_row";

export interface ChartDrawing {
  payload: Payload;
  frame: Frame;
  /** Pixels of the plot with its axes. */
  height: number;
  /** Positions in `payload.chart` of the series that are drawn, with their lines. */
  shown: number[];
  lines: Line[];
  /** Of these the points and marks. */
  marked: { series: Series[]; lines: Line[] };
  scale: Scale;
  emphasis: number;
  pair: [Point, Point] | null;
}

const LISTED = { width: 340, height: 18, most: 60 };
const SCORES = 14;

export function chartSaved(drawing: ChartDrawing): Saved {
  const { payload, scale, frame, height, shown } = drawing;
  const words = scale === "absolute" ? `Cost in ${payload.unit}` : `Change of ${payload.unit} since each benchmark's first version`;
  const width = frame.left + frame.width + 12;
  const perRow = Math.max(1, Math.floor(width / LISTED.width));
  const listed = shown.slice(0, LISTED.most);
  const below = height + (payload.predictions ? SCORES : 0) + 8;
  return {
    ...overVersions(payload, [0, payload.versions.length - 1], "evolution", "", words),
    csv: () => toCsv(payload),
    legend: () => <ChartLegend payload={payload} />,
    picture: ({ colors, dark }: Look) => ({
      width: Math.max(width, LISTED.width),
      height: below + Math.ceil(listed.length / perRow) * LISTED.height,
      draw: (pen) => {
        // A page on paper is light, whatever the page on the screen is.
        const inLook = (line: Line, at: number) => ({ ...line, ...lineStyle(at, dark) });
        const lines = drawing.lines.map((line, at) => inLook(line, shown[at]!));
        const marked = { series: drawing.marked.series, lines: drawing.marked.series.map((each) => lines[shown.findIndex((at) => payload.chart[at] === each)]!) };
        drawAxes(pen, drawing, colors);
        lines.forEach((line, at) => drawLine(pen, drawing, line, payload.chart[shown[at]!]!.benchmark));
        pen.save();
        pen.transform(1, 0, 0, 1, frame.left, frame.top);
        staged("chart", <Marks {...{ payload, frame, ...marked, scale }} emphasis={drawing.emphasis} pair={drawing.pair} focused={null} anchor={null} />, (host) => drawElement(pen, host));
        pen.restore();
        if (payload.predictions) {
          pen.save();
          pen.transform(1, 0, 0, 1, 0, height);
          staged("chart", <ScoreRow {...{ payload, frame }} predictions={payload.predictions} />, (host) => drawElement(pen, host));
          pen.restore();
        }
        listed.forEach((of, at) => {
          pen.save();
          pen.transform(1, 0, 0, 1, (at % perRow) * LISTED.width, below + Math.floor(at / perRow) * LISTED.height);
          drawEntry(pen, payload, payload.chart[of]!, lines[at]!, colors);
          pen.restore();
        });
      },
    }),
  };
}

function drawAxes(pen: Pen, { frame }: ChartDrawing, colors: Look["colors"]): void {
  const { left, top, width, height, ticks } = frame;
  pen.font = FONT;
  pen.textBaseline = "middle";
  pen.fillStyle = colors.dim;
  pen.strokeStyle = colors.line;
  pen.lineWidth = 1;
  for (const { at, words } of ticks.y) {
    const y = Math.round(top + frame.y(at)) + 0.5;
    pen.strokePath(`M${left - 4} ${y}H${left + width}`);
    pen.fillText(words, left - 9 - textWidth(words, FONT), y);
  }
  for (const { at, words } of ticks.x) {
    const x = Math.round(left + frame.x(at)) + 0.5;
    pen.strokePath(`M${x} ${top + height}v4`);
    pen.fillText(words, x - textWidth(words, FONT) / 2, top + height + 15);
  }
}

function drawLine(pen: Pen, { frame, emphasis }: ChartDrawing, { values, starts, color, dash }: Line, benchmark: number): void {
  let path = "";
  let isOpen = false;
  values.forEach((value, version) => {
    if (value === null || starts.includes(version)) isOpen = false;
    if (value === null) return;
    path += `${isOpen ? "L" : "M"}${(frame.left + frame.x(version)).toFixed(2)} ${(frame.top + frame.y(value)).toFixed(2)}`;
    isOpen = true;
  });
  if (path === "") return;
  pen.save();
  pen.globalAlpha = emphasis < 0 || emphasis === benchmark ? 1 : DIMMED;
  pen.strokeStyle = color;
  pen.lineWidth = 1.5;
  pen.setLineDash(dash);
  pen.strokePath(path);
  pen.setLineDash([]);
  pen.restore();
}

/** A benchmark with its line, last cost and whole change. */
function drawEntry(pen: Pen, payload: Payload, series: Series, { color, dash }: Line, colors: Look["colors"]): void {
  const [last, change] = [lastValue(series), wholeChange(series)];
  const figures = [last === null ? "no value" : compact(last), change === null ? "" : signedShare(change)].filter((part) => part !== "").join("  ");
  pen.strokeStyle = color;
  pen.lineWidth = 2;
  pen.setLineDash(dash);
  pen.strokePath("M0 9h18");
  pen.setLineDash([]);
  pen.font = FONT;
  pen.textBaseline = "middle";
  pen.fillStyle = colors.text;
  const name = payload.benchmarks[series.benchmark]!;
  const room = LISTED.width - 44 - textWidth(figures, FONT);
  pen.fillText(fitted(name, room), 26, 9);
  pen.fillStyle = colors.dim;
  pen.fillText(figures, LISTED.width - 12 - textWidth(figures, FONT), 9);
}

function fitted(name: string, room: number): string {
  let text = name;
  for (let length = name.length; length > 4 && textWidth(text, FONT) > room; length--) text = shortenPath(name, length);
  return text;
}
