// The evolution chart (R1 to R4): one line a benchmark over the versions; picking two points selects their comparison.

import { useEffect, useMemo, useState } from "preact/hooks";
import { badness } from "../better";
import { lineStyle } from "../colors";
import { CopyButton } from "../copy";
import { useDescriptions, useKeys } from "../keys";
import { type Payload, PointState, type SeriesChange } from "../payload";
import { SaveMenu } from "../save";
import { Printed } from "../save/printed";
import { type Store, useStore } from "../state";
import { useColors, useIsDark } from "../theme";
import { Benchmarks } from "./benchmarks";
import "./chart.css";
import { gaps, Marks } from "./marks";
import { type Frame, Plot } from "./plot";
import { openingScale, type Point, scaled, type Scale, toCsv, worstStep } from "./points";
import { chartSaved } from "./save";
import { ScoreRow } from "./score_row";
import { BenchmarkTable } from "./table";
import { pointInWords, Tip } from "./tip";

/** Pixels, and the share of a tall window's height. */
const LEAST_HEIGHT = 260;
const MOST_HEIGHT = 400;
const SHARE_OF_WINDOW = 0.28;
/** A pointer further than this from every point is at none. */
const REACH = 28;
/** With more lines than this the selected one stands out by itself. */
const MANY = 8;
/** More benchmarks than this are a table; of more lines only the one that stands out has its points and marks. */
const LISTED = 12;

export function Chart({ payload, store }: { payload: Payload; store: Store }) {
  const { selection, modes } = useStore(store);
  const dark = useIsDark(modes);
  const colors = useColors(modes);
  const [scale, setScale] = useState<Scale>(() => openingScale(payload.chart));
  const [ticked, setTicked] = useState<ReadonlySet<number>>(() => new Set(opening(payload)));
  const [pointed, setPointed] = useState(-1);
  const [focused, setFocused] = useState<Point | null>(null);
  const [gap, setGap] = useState(-1);
  const [anchor, setAnchor] = useState<Point | null>(null);
  const [refused, setRefused] = useState(false);
  const [frame, setFrame] = useState<Frame | null>(null);

  const height = useMemo(() => Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, window.innerHeight * SHARE_OF_WINDOW))), []);

  const all = payload.chart;
  const isTable = all.length > LISTED;
  const allLines = useMemo(
    () => all.map((each, at) => ({ values: payload.versions.map((_, version) => scaled(each, version, scale)), starts: each.rewritten, ...lineStyle(at, dark) })),
    [all, scale, dark],
  );
  const shown = useMemo(() => all.flatMap((each, at) => (ticked.has(each.benchmark) ? [at] : [])), [all, ticked]);
  const series = useMemo(() => shown.map((at) => all[at]!), [shown]);
  const lines = useMemo(() => shown.map((at) => allLines[at]!), [shown, allLines]);
  const labels = useMemo(() => payload.versions.map((version) => version.label), [payload]);

  // A benchmark that is selected elsewhere is drawn.
  useEffect(() => {
    if (selection.benchmark >= 0) tick([selection.benchmark], true);
  }, [selection.benchmark]);
  const tick = (benchmarks: number[], to: boolean) =>
    setTicked((before) => {
      const next = new Set(before);
      for (const benchmark of benchmarks) to ? next.add(benchmark) : next.delete(benchmark);
      return next;
    });

  const bySelection = series.length > MANY ? selection.benchmark : -1;
  const emphasis = pointed >= 0 ? pointed : (focused?.benchmark ?? bySelection);
  const emphasised = series.findIndex((each) => each.benchmark === emphasis);
  const marked = useMemo(() => {
    const at = shown.filter((each) => shown.length <= LISTED || all[each]!.benchmark === emphasis);
    return { series: at.map((each) => all[each]!), lines: at.map((each) => allLines[each]!) };
  }, [shown, allLines, emphasis]);
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
    const near = labels.flatMap((_, version) => (Math.abs(frame!.x(version) - x) < REACH ? [version] : []));
    lines.forEach(({ values }, at) => {
      for (const version of near) {
        const value = values[version] ?? null;
        if (value === null) continue;
        const distance = Math.hypot(frame!.x(version) - x, frame!.y(value) - y);
        if (distance < least) [least, best] = [distance, { benchmark: series[at]!.benchmark, version }];
      }
    });
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
      const next = step(event.key, focused ?? entrance(), series, scale);
      if (!next) return;
      setGap(-1);
      setFocused(next);
    }
    event.preventDefault();
  };
  /** Where the keyboard enters: the later point of the selected pair, else the last point of the first line. */
  const entrance = (): Point | null => {
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

  const openStep = (benchmark: number, { since, version }: SeriesChange) => store.select({ benchmark, before: since, after: version });
  // Kept while a pointer only moves over the plot: a row has a drawing of its own.
  const list = useMemo(() => {
    const props = { payload, series: all, lines: allLines, ticked, selected: selection.benchmark, onTick: tick, onEmphasis: setPointed };
    return isTable ? <BenchmarkTable {...props} onSelect={(benchmark) => store.select({ benchmark })} onStep={openStep} /> : <Benchmarks {...props} />;
  }, [payload, allLines, ticked, selection.benchmark]);
  const name = (point: Point) => `${payload.benchmarks[point.benchmark]} at ${labels[point.version]}`;
  const focusedSeries = focused && series.find((each) => each.benchmark === focused.benchmark);
  const focusedValue = focusedSeries ? scaled(focusedSeries, focused.version, scale) : null;

  const saved = frame && chartSaved({ payload, frame, height, shown, lines, marked, scale, emphasis: bySelection, pair });

  return (
    <section class="chart" aria-labelledby="chart-title">
      <header class="bar">
        <h2 id="chart-title">Evolution</h2>
        <span class="dim">
          {scale === "absolute" ? `${payload.unit} by version` : `change of ${payload.unit} since each benchmark's first version`}
        </span>
        <span class="spacer" />
        <button data-scale={scale} onClick={() => setScale(scale === "absolute" ? "relative" : "absolute")}>
          <span class="dim">Axis</span> {scale === "absolute" ? "cost" : "change since first"}
          <kbd aria-hidden="true">r</kbd>
        </button>
        <CopyButton text={toCsv(payload)} label="Copy as CSV" />
        {saved && <SaveMenu {...{ saved, modes }} />}
      </header>
      <div class={isTable ? "chart-body with-table" : "chart-body"} style={{ "--chart-height": `${height}px` }}>
        {saved && <Printed {...{ saved, modes }} />}
        <div
          class="plot-area"
          tabIndex={0}
          role="application"
          aria-roledescription="line chart"
          aria-label="Cost of each benchmark over the versions. Arrows move over points, Enter picks; two picked points are compared."
          onKeyDown={onKeyDown}
          onFocus={(event) => event.currentTarget.matches(":focus-visible") && !focused && setFocused(entrance())}
          onBlur={leave}
        >
          <Plot lines={lines} labels={labels} scale={scale} colors={colors} height={height} emphasis={emphasised} onFrame={setFrame} />
          {frame && payload.predictions && <ScoreRow {...{ payload, frame }} predictions={payload.predictions} />}
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
              <Marks {...{ payload, frame, ...marked, scale, emphasis, focused, anchor, pair }} />
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
        {list}
      </div>
      <p class="picking" role="status">
        {anchor
          ? `First point: ${name(anchor)}. Pick a second one of the same benchmark, or of the same version; Esc clears it.`
          : "Pick two points to compare them."}
        {payload.predictions && ` ${sentence(payload.predictions.record)}`}
        {refused && " Two points must share their benchmark or their version: the last one picked is the first point now."}
      </p>
      <p class="spoken" aria-live="polite">
        {focused && focusedSeries ? pointInWords(payload, focusedSeries, focused) : ""}
      </p>
    </section>
  );
}

/** All benchmarks that are drawn at first; of many those with the worst steps, as many as can be told apart. */
function opening(payload: Payload): number[] {
  const { chart, better } = payload;
  if (chart.length <= LISTED) return chart.map(({ benchmark }) => benchmark);
  const worst = chart.map((each) => ({ benchmark: each.benchmark, change: worstStep(each, better)?.change ?? 0 }));
  worst.sort((a, b) => badness(b.change - a.change, better));
  return worst.slice(0, MANY).map(({ benchmark }) => benchmark);
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
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
