// The evolution chart (R1 to R4): one line a benchmark over the versions; picking two points selects their comparison.

import { useMemo, useState } from "preact/hooks";
import { lineStyle } from "../colors";
import { CopyButton } from "../copy";
import { useDescriptions, useKeys } from "../keys";
import { type Payload, PointState } from "../payload";
import { type Store, useStore } from "../state";
import { useColors, useIsDark } from "../theme";
import { Benchmarks } from "./benchmarks";
import "./chart.css";
import { gaps, Marks } from "./marks";
import { type Frame, Plot } from "./plot";
import { openingScale, type Point, scaled, type Scale, toCsv } from "./points";
import { pointInWords, Tip } from "./tip";

/** Pixels, and the share of a tall window's height. */
const LEAST_HEIGHT = 260;
const MOST_HEIGHT = 400;
const SHARE_OF_WINDOW = 0.28;
/** A pointer further than this from every point is at none. */
const REACH = 28;
/** With more lines than this the selected one stands out by itself. */
const MANY = 8;

export function Chart({ payload, store }: { payload: Payload; store: Store }) {
  const { selection, modes } = useStore(store);
  const dark = useIsDark(modes);
  const colors = useColors(modes);
  const [scale, setScale] = useState<Scale>(() => openingScale(payload.chart));
  const [hidden, setHidden] = useState(new Set<number>());
  const [pointed, setPointed] = useState(-1);
  const [focused, setFocused] = useState<Point | null>(null);
  const [gap, setGap] = useState(-1);
  const [anchor, setAnchor] = useState<Point | null>(null);
  const [refused, setRefused] = useState(false);
  const [frame, setFrame] = useState<Frame | null>(null);

  const height = useMemo(() => Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, window.innerHeight * SHARE_OF_WINDOW))), []);

  const all = payload.chart;
  const allLines = useMemo(
    () => all.map((each, at) => ({ values: payload.versions.map((_, version) => scaled(each, version, scale)), ...lineStyle(at, dark) })),
    [all, scale, dark],
  );
  const shown = useMemo(() => all.flatMap((each, at) => (hidden.has(each.benchmark) ? [] : [at])), [all, hidden]);
  const series = useMemo(() => shown.map((at) => all[at]!), [shown]);
  const lines = useMemo(() => shown.map((at) => allLines[at]!), [shown, allLines]);
  const labels = useMemo(() => payload.versions.map((version) => version.label), [payload]);

  const bySelection = series.length > MANY ? selection.benchmark : -1;
  const emphasis = pointed >= 0 ? pointed : (focused?.benchmark ?? bySelection);
  const emphasised = series.findIndex((each) => each.benchmark === emphasis);
  const pair = pairOf(selection);

  const pick = (point: Point) => {
    setFocused(point);
    const comparable = anchor && (anchor.benchmark === point.benchmark) !== (anchor.version === point.version);
    setRefused(anchor !== null && !comparable && !same(anchor, point));
    if (!comparable) {
      setAnchor(anchor && same(anchor, point) ? null : point);
      return;
    }
    setAnchor(null);
    const [before, after] = anchor.version <= point.version ? [anchor, point] : [point, anchor];
    store.select({ benchmark: after.benchmark, against: before.benchmark, before: before.version, after: after.version });
  };

  const nearest = (event: PointerEvent | MouseEvent): Point | null => {
    const area = (event.currentTarget as Element).getBoundingClientRect();
    const [x, y] = [event.clientX - area.left, event.clientY - area.top];
    let best: Point | null = null;
    let least = REACH;
    for (const each of series) {
      for (let version = 0; version < each.values.length; version++) {
        const value = scaled(each, version, scale);
        if (value === null) continue;
        const distance = Math.hypot(frame!.x(version) - x, frame!.y(value) - y);
        if (distance < least) [least, best] = [distance, { benchmark: each.benchmark, version }];
      }
    }
    return best;
  };
  const gapAt = (event: PointerEvent): number => {
    const area = (event.currentTarget as Element).getBoundingClientRect();
    const version = gaps(payload, series).find((each) => Math.abs(frame!.x(each.version) - (event.clientX - area.left)) < 8);
    return version && event.clientY - area.top > area.height - 24 ? version.version : -1;
  };
  const onPointerMove = (event: PointerEvent) => {
    const gapped = gapAt(event);
    setGap(gapped);
    setFocused(gapped >= 0 ? null : nearest(event));
  };
  const leave = () => {
    setGap(-1);
    setFocused(null);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && anchor) {
      setAnchor(null);
      setRefused(false);
    } else if (event.key === "Enter" || event.key === " ") {
      if (focused) pick(focused);
    } else {
      const next = step(event.key, focused ?? opening(), series, scale);
      if (!next) return;
      setGap(-1);
      setFocused(next);
    }
    event.preventDefault();
  };
  /** Where the keyboard enters: the later point of the selected pair, else the last point of the first line. */
  const opening = (): Point | null => {
    const from = [pair?.[1], { benchmark: series[0]?.benchmark ?? -1, version: labels.length - 1 }];
    return from.map((point) => point && nearestMeasured(point)).find((point) => point) ?? null;
  };
  const nearestMeasured = (point: Point): Point | null => {
    const found = series.find((each) => each.benchmark === point.benchmark);
    const version = found ? found.values.findLastIndex((value, at) => value !== null && at <= point.version) : -1;
    return version >= 0 ? { benchmark: point.benchmark, version } : null;
  };

  useKeys([
    { key: "r", what: "Cost, or change since the first version", where: "Chart", run: () => setScale(scale === "absolute" ? "relative" : "absolute") },
  ]);
  useDescriptions([
    { key: "← →", what: "Previous and next version", where: "Chart" },
    { key: "↑ ↓", what: "Line above and below", where: "Chart" },
    { key: "Home End", what: "First and last version", where: "Chart" },
    { key: "Enter", what: "Pick a point; two picked points are compared", where: "Chart" },
    { key: "Esc", what: "Clear the picked point", where: "Chart" },
  ]);

  const toggle = (benchmark: number) => {
    const next = new Set(hidden);
    if (!next.delete(benchmark)) next.add(benchmark);
    setHidden(next);
  };
  const name = (point: Point) => `${payload.benchmarks[point.benchmark]} at ${labels[point.version]}`;
  const focusedSeries = focused && series.find((each) => each.benchmark === focused.benchmark);
  const focusedValue = focusedSeries ? scaled(focusedSeries, focused.version, scale) : null;

  return (
    <section class="chart" aria-labelledby="chart-title">
      <header class="bar">
        <h2 id="chart-title">Evolution</h2>
        <span class="dim">
          {scale === "absolute" ? `${payload.unit} by version` : `change of ${payload.unit} since each benchmark's first version`}
        </span>
        <span class="marks-legend dim">
          <svg width="10" height="10" aria-hidden="true"><circle class="filled" cx="5" cy="5" r="3" /></svg>measured
          <svg width="10" height="10" aria-hidden="true"><circle class="hollow" cx="5" cy="5" r="3" /></svg>carried over
          <svg width="10" height="10" aria-hidden="true"><path class="gap" d="M2 2l6 6m0 -6l-6 6" /></svg>gap
          <svg width="10" height="10" aria-hidden="true"><path class="solid" d="M5 1l4.5 8h-9z" /></svg>jump
          <svg width="10" height="10" aria-hidden="true"><path class="solid" d="M5 0l4.5 5l-4.5 5l-4.5 -5z" /></svg>change point
        </span>
        <span class="spacer" />
        <button data-scale={scale} onClick={() => setScale(scale === "absolute" ? "relative" : "absolute")}>
          <span class="dim">Axis</span> {scale === "absolute" ? "cost" : "change since first"}
          <kbd aria-hidden="true">r</kbd>
        </button>
        <CopyButton text={toCsv(payload)} label="Copy as CSV" />
      </header>
      <div class="chart-body" style={{ "--chart-height": `${height}px` }}>
        <div
          class="plot-area"
          tabIndex={0}
          role="application"
          aria-roledescription="line chart"
          aria-label="Cost of each benchmark over the versions. Arrows move over points, Enter picks; two picked points are compared."
          onKeyDown={onKeyDown}
          onFocus={(event) => event.currentTarget.matches(":focus-visible") && !focused && setFocused(opening())}
          onBlur={leave}
        >
          <Plot lines={lines} labels={labels} scale={scale} colors={colors} height={height} emphasis={emphasised} onFrame={setFrame} />
          {frame && (
            <div
              class="over"
              style={{ left: `${frame.left}px`, top: `${frame.top}px`, width: `${frame.width}px`, height: `${frame.height}px` }}
              onPointerMove={onPointerMove}
              onPointerLeave={leave}
              onClick={(event) => {
                const point = nearest(event);
                if (point) pick(point);
              }}
            >
              <Marks {...{ payload, frame, series, lines, scale, emphasis, focused, anchor, pair }} />
              {focused && focusedSeries && focusedValue !== null && (
                <Tip
                  payload={payload}
                  entries={[{ series: focusedSeries, version: focused.version }]}
                  x={frame.x(focused.version)}
                  y={frame.y(focusedValue)}
                  flip={frame.x(focused.version) > frame.width / 2}
                />
              )}
              {gap >= 0 && (
                <Tip
                  payload={payload}
                  entries={series.filter((each) => each.states[gap] === PointState.Gap).map((each) => ({ series: each, version: gap }))}
                  x={frame.x(gap)}
                  y={frame.height - 40}
                  flip={frame.x(gap) > frame.width / 2}
                />
              )}
            </div>
          )}
        </div>
        <Benchmarks {...{ payload, series: all, lines: allLines, hidden }} selected={selection.benchmark} onToggle={toggle} onEmphasis={setPointed} />
      </div>
      <p class="picking" role="status">
        {anchor
          ? `First point: ${name(anchor)}. Pick a second one of the same benchmark, or of the same version; Esc clears it.`
          : "Pick two points to compare them."}
        {refused && " Two points must share their benchmark or their version: the last one picked is the first point now."}
      </p>
      <p class="spoken" aria-live="polite">
        {focused && focusedSeries ? pointInWords(payload, focusedSeries, focused) : ""}
      </p>
    </section>
  );
}

function same(a: Point, b: Point): boolean {
  return a.benchmark === b.benchmark && a.version === b.version;
}

function pairOf({ benchmark, against, before, after }: { benchmark: number; against: number; before: number; after: number }): [Point, Point] | null {
  return before < 0 || after < 0 ? null : [{ benchmark: against, version: before }, { benchmark, version: after }];
}

/** The point an arrow key leads to: along the line, or to the line next above or below at this version. */
function step(key: string, from: Point | null, series: Payload["chart"], scale: Scale): Point | null {
  const here = from && series.find((each) => each.benchmark === from.benchmark);
  if (!from || !here) return null;
  const { benchmark, version } = from;
  const along = (versions: number[]) => {
    const found = versions.find((at) => scaled(here, at, scale) !== null);
    return found === undefined ? from : { benchmark, version: found };
  };
  const count = here.values.length;
  const upTo = Array.from({ length: count }, (_, at) => at);
  if (key === "ArrowLeft") return along(upTo.slice(0, version).reverse());
  if (key === "ArrowRight") return along(upTo.slice(version + 1));
  if (key === "Home") return along(upTo);
  if (key === "End") return along([...upTo].reverse());
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const atVersion = series
    .flatMap((each) => {
      const value = scaled(each, version, scale);
      return value === null ? [] : [{ benchmark: each.benchmark, value }];
    })
    .sort((a, b) => a.value - b.value);
  const position = atVersion.findIndex((each) => each.benchmark === benchmark);
  const next = atVersion[position + (key === "ArrowUp" ? 1 : -1)];
  return next ? { benchmark: next.benchmark, version } : from;
}
