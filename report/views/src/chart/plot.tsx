// Lines and axes, drawn by uPlot; what can be pointed at is laid over them by `marks.tsx`, with this file's `Frame`.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { Colors } from "../colors";
import { compact, middle, signedShare } from "../format";
import type { Scale } from "./points";

/** Where uPlot put its plotting area, and its scales: version and value to CSS pixels inside that area. */
export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  x: (version: number) => number;
  y: (value: number) => number;
  ticks: { x: Tick[]; y: Tick[] };
}

/** A version or a value, as its axis says it. */
export interface Tick {
  at: number;
  words: string;
}

export interface Line {
  values: (number | null)[];
  /** Versions at which it begins anew: nothing connects them with what is before. */
  starts: number[];
  color: string;
  dash: number[];
}

interface PlotProps {
  lines: Line[];
  labels: string[];
  scale: Scale;
  colors: Colors;
  height: number;
  /** Line that stands out; the others are dimmed. -1: all alike. */
  emphasis: number;
  onFrame: (frame: Frame) => void;
}

export const FONT = "12px system-ui, sans-serif";
export const DIMMED = 0.25;
/** Characters of a version on the axis. */
const LONGEST_LABEL = 18;
/** An axis never shows less than this share of its values: a tremble of 0.1% is not a mountain. */
const LEAST_SPAN = 0.05;
/** Room above and below the values, as shares of their span: the foot is where gaps are marked. */
const HEADROOM = 0.06;
const FOOTROOM = 0.14;

export function Plot({ lines, labels, scale, colors, height, emphasis, onFrame }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const width = useWidth(host);

  useLayoutEffect(() => {
    if (!host.current || width === 0) return;
    const made = new uPlot(
      options({ lines, labels, scale, colors, height, width, onFrame }),
      aligned(lines, labels.length),
      host.current,
    );
    plot.current = made;
    return () => made.destroy();
  }, [lines, labels, scale, colors, height, width]);

  useEffect(() => {
    plot.current?.setSeries(emphasis < 0 ? null : emphasis + 1, { focus: true });
  }, [emphasis, lines, colors, width]);

  return <div class="plot" ref={host} aria-hidden="true" />;
}

function options({ lines, labels, scale, colors, height, width, onFrame }: Omit<PlotProps, "emphasis"> & { width: number }): uPlot.Options {
  const axis = { font: FONT, stroke: colors.dim, grid: { stroke: colors.line, width: 1 }, ticks: { stroke: colors.line, width: 1, size: 4 } };
  let told = false;
  const ticks: Frame["ticks"] = { x: [], y: [] };
  const named = (axis: "x" | "y", splits: number[], name: (at: number) => string) => {
    ticks[axis] = splits.map((at) => ({ at, words: name(at) })).filter(({ words }) => words !== "");
    return splits.map(name);
  };
  const widest = Math.max(...labels.map((label) => Math.min(LONGEST_LABEL, label.length))) * 7;
  return {
    width,
    height,
    padding: [18, 12, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    focus: { alpha: DIMMED },
    scales: {
      x: { time: false, range: [-0.5, labels.length - 0.5] },
      y: { range: (_, min, max) => span(min, max, scale) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: widest + 12,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        values: (_, splits) => named("x", splits, (at) => middle(labels[at] ?? "", LONGEST_LABEL)),
      },
      { ...axis, size: 64, space: 36, values: (_, splits) => named("y", splits, (at) => (scale === "relative" ? signedShare(at) : compact(at))) },
    ],
    series: [{}, ...lines.map((line) => ({ stroke: line.color, width: 1.5, dash: line.dash, points: { show: false }, spanGaps: false }))],
    hooks: {
      draw: [
        (made) => {
          // Size and scales are final from the first drawing on; dimming a line draws again.
          if (told) return;
          told = true;
          const { left, top, width: inner, height: tall } = made.bbox;
          const ratio = uPlot.pxRatio;
          onFrame({
            left: left / ratio,
            top: top / ratio,
            width: inner / ratio,
            height: tall / ratio,
            x: (version) => made.valToPos(version, "x"),
            y: (value) => made.valToPos(value, "y"),
            ticks,
          });
        },
      ],
    },
  };
}

/** Versions and the values at them. Before a start is a place of its own, where that line alone has a gap. */
function aligned(lines: Line[], versions: number): uPlot.AlignedData {
  const starts = new Set(lines.flatMap((line) => line.starts.map((start) => start - 0.5)));
  const places = [...Array.from({ length: versions }, (_, version) => version), ...starts].sort((a, b) => a - b);
  const valueAt = (line: Line, place: number) => {
    if (Number.isInteger(place)) return line.values[place];
    return line.starts.includes(place + 0.5) ? null : undefined;
  };
  return [places, ...lines.map((line) => places.map((place) => valueAt(line, place)))];
}

function span(min: number | null, max: number | null, scale: Scale): [number, number] {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const least = scale === "relative" ? LEAST_SPAN : Math.max(Math.abs(max) * LEAST_SPAN, 1);
  const middle = (min + max) / 2;
  const whole = Math.max(max - min, least);
  const low = middle - whole * (0.5 + FOOTROOM);
  return [scale === "absolute" && min >= 0 ? Math.max(0, low) : low, middle + whole * (0.5 + HEADROOM)];
}

function useWidth(host: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(host.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}
