// Marks over the lines: measured points filled, carried-over ones hollow, gaps as crosses at the foot, steps as triangles, those that
// stay as diamonds on a dashed rule, rewritten benchmarks as dashed lines, the selected pair as a band, picks as rings.

import { useMemo } from "preact/hooks";
import { isWorse } from "../better";
import { signedShare } from "../format";
import { type Payload, PointState, type Series } from "../payload";
import type { Frame, Line } from "./plot";
import { type Point, scaled, type Scale } from "./points";

interface MarksProps {
  payload: Payload;
  frame: Frame;
  series: Series[];
  /** Of each series. */
  lines: Line[];
  scale: Scale;
  /** Benchmark that stands out, -1 for none. */
  emphasis: number;
  focused: Point | null;
  anchor: Point | null;
  /** The selected pair, oldest first. */
  pair: [Point, Point] | null;
}

/** Points closer than this are drawn smaller. */
const CROWDED = 9;
/** Of the widest font that a system has for its own words. */
const CHARACTER = 7;
/** The foot of words below the top of their box. */
const BASELINE = 10;
/** So much nearer to the point words stand at their second place. */
const NEARER = 10;
/** Half of the side of a change's shape. */
const SHAPE = 5;
/** So far above the foot is the middle of a gap's cross. */
const GAP = 6;
/** Shapes of a change round its middle, which is so far above or below the point. */
export const RISES = "M0 -4l5 8h-10z";
export const FALLS = "M0 4l5 -8h-10z";
export const STAYS = "M0 -5l4.5 5l-4.5 5l-4.5 -5z";
const OFF = 12;

export function Marks({ payload, frame, series, lines, scale, emphasis, focused, anchor, pair }: MarksProps) {
  const { width, height } = frame;
  const radius = width / payload.versions.length < CROWDED ? 1.8 : 3;
  const place = ({ benchmark, version }: Point) => {
    const found = series.find((each) => each.benchmark === benchmark);
    const value = found ? scaled(found, version, scale) : null;
    return value === null ? null : { x: frame.x(version), y: frame.y(value) };
  };
  const ring = (point: Point | null, kind: string) => {
    const at = point && place(point);
    return at && <circle class={`ring ${kind}`} cx={at.x} cy={at.y} r={6.5} data-ring={kind} data-version={point!.version} data-benchmark={point!.benchmark} />;
  };
  const labels = useMemo(() => labelled(payload, frame, series, scale, emphasis), [payload, frame, series, scale, emphasis]);
  // Thousands of points must not be gone through whenever the pointer moves.
  const points = useMemo(
    () =>
      series.map((each, at) => (
        <g key={each.benchmark} class={emphasis >= 0 && emphasis !== each.benchmark ? "points dimmed" : "points"} data-benchmark={each.benchmark}>
          {each.values.map((_, version) => {
            const value = scaled(each, version, scale);
            if (value === null) return null;
            const carried = each.states[version] === PointState.Carried;
            return (
              <circle
                key={version}
                cx={frame.x(version)}
                cy={frame.y(value)}
                r={radius}
                fill={carried ? "var(--ground)" : lines[at]!.color}
                stroke={lines[at]!.color}
                data-version={version}
                data-state={carried ? "carried" : "measured"}
                data-value={each.values[version]}
              />
            );
          })}
        </g>
      )),
    [frame, series, lines, scale, emphasis],
  );
  return (
    <svg class="marks" width={width} height={height} aria-hidden="true">
      {pair && pair[0].version !== pair[1].version && (
        <rect class="band" x={frame.x(pair[0].version)} y={0} width={frame.x(pair[1].version) - frame.x(pair[0].version)} height={height} />
      )}
      {gaps(payload, series).map(({ version, benchmarks }) => (
        <path
          key={version}
          class="gap"
          data-gap={version}
          data-benchmarks={benchmarks.join(" ")}
          d={`M${frame.x(version) - 3} ${height - GAP - 3}l6 6m0 -6l-6 6`}
        />
      ))}
      {points}
      {series.flatMap((each) =>
        each.rewritten.map((version) => (
          <line
            key={`${each.benchmark} ${version}`}
            class="rewritten"
            data-rewritten={version}
            data-benchmark={each.benchmark}
            x1={(frame.x(version - 1) + frame.x(version)) / 2}
            y1={0}
            x2={(frame.x(version - 1) + frame.x(version)) / 2}
            y2={height}
          />
        )),
      )}
      {labels.map(({ version, benchmark, method, worse, x, y, text, words, change }) => (
        <g
          key={`${benchmark} ${version}`}
          class={emphasis >= 0 && emphasis !== benchmark ? "change dimmed" : "change"}
          data-method={method}
          data-version={version}
          data-benchmark={benchmark}
          data-change={change}
          data-worse={worse}
        >
          {method === "e_divisive" && <line class="rule" x1={x} y1={0} x2={x} y2={height} />}
          <path d={method === "e_divisive" ? STAYS : change > 0 ? RISES : FALLS} transform={`translate(${x},${change > 0 ? y - OFF : y + OFF})`} />
          {words && (
            <text x={words.side === "left" ? words.right : words.left} y={words.top + BASELINE} text-anchor={words.side === "left" ? "end" : "start"}>
              {text}
            </text>
          )}
        </g>
      ))}
      {pair && ring(pair[0], "before")}
      {pair && ring(pair[1], "after")}
      {ring(anchor, "anchor")}
      {ring(focused, "focus")}
    </svg>
  );
}

/** Versions with a gap, each with the benchmarks that have it. */
export function gaps(payload: Payload, series: Series[]): { version: number; benchmarks: number[] }[] {
  return payload.versions.flatMap((_, version) => {
    const benchmarks = series.filter((each) => each.states[version] === PointState.Gap).map((each) => each.benchmark);
    return benchmarks.length > 0 ? [{ version, benchmarks }] : [];
  });
}

/** Changes with their words; of those that overlap or are dimmed only the greatest keeps them, the others say them when pointed at. */
function labelled(payload: Payload, frame: Frame, series: Series[], scale: Scale, emphasis: number) {
  const all = series.flatMap((each) =>
    each.changes.flatMap(({ version, change, method }) => {
      const value = scaled(each, version, scale);
      if (value === null) return [];
      const worse = isWorse(change, payload.better);
      return [{ benchmark: each.benchmark, version, change, method, worse, x: frame.x(version), y: frame.y(value), text: signedShare(change) }];
    }),
  );
  // The shapes themselves: words on one would be taken for its own.
  const shape = (x: number, y: number) => ({ left: x - SHAPE, right: x + SHAPE, top: y - SHAPE, bottom: y + SHAPE });
  const changes = all.map(({ x, y, change }) => shape(x, change > 0 ? y - OFF : y + OFF));
  const taken = [...changes, ...gaps(payload, series).map(({ version }) => shape(frame.x(version), frame.height - GAP))];
  const rank = (each: (typeof all)[number]) => (each.benchmark === emphasis ? 1000 : 0) + Math.abs(each.change);
  return all
    .sort((a, b) => rank(b) - rank(a))
    .map((each) => {
      const length = each.text.length * CHARACTER;
      // Before a rise the line is below, before a fall above: its words stand clear of it on the left. Nearer to the point is
      // second best.
      const far = each.change > 0 ? each.y - 18 : each.y + 6;
      const near = each.change > 0 ? far + NEARER : far - NEARER;
      const side = each.x - 8 - length < 0 ? "right" : "left";
      const left = side === "left" ? each.x - 8 - length : each.x + 8;
      const places = [far, near].map((top) => ({ side, left, right: left + length, top, bottom: top + 13 }));
      const isFree = (box: (typeof places)[number]) =>
        box.top >= -16 &&
        box.bottom <= frame.height &&
        !taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
      const standsOut = emphasis < 0 || each.benchmark === emphasis;
      const words = standsOut ? places.find(isFree) : undefined;
      if (words) taken.push(words);
      return { ...each, words };
    });
}
