// A series as small as a word, with its worst step.

import type { Series, SeriesChange } from "../payload";

const WIDTH = 140;
const HEIGHT = 18;
const EDGE = 2;
/** As of the chart's axis: a tremble of 0.1% is not a mountain. */
const LEAST_SPAN = 0.05;

export function Sparkline({ series, step, color }: { series: Series; step: SeriesChange | null; color: string }) {
  const known = series.values.filter((value) => value !== null);
  if (known.length === 0) return null;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const span = Math.max(most - least, most * LEAST_SPAN, 1);
  const x = (version: number) => EDGE + (version / Math.max(1, series.values.length - 1)) * (WIDTH - 2 * EDGE);
  const y = (value: number) => HEIGHT - EDGE - ((value - (least + most - span) / 2) / span) * (HEIGHT - 2 * EDGE);
  let path = "";
  let isOpen = false;
  series.values.forEach((value, version) => {
    if (value === null || series.rewritten.includes(version)) isOpen = false;
    if (value === null) return;
    path += `${isOpen ? "L" : "M"}${x(version).toFixed(1)} ${y(value).toFixed(1)}`;
    // A lone value is a line of no length, which round ends make a dot.
    if (!isOpen) path += "h0";
    isOpen = true;
  });
  const at = step === null ? null : series.values[step.version];
  return (
    <svg class="sparkline" width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path d={path} stroke={color} />
      {at !== null && at !== undefined && <circle cx={x(step!.version)} cy={y(at)} r="2.5" fill={color} />}
    </svg>
  );
}
