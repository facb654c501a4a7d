// Everything about one point of the chart, in words; its text is also what a screen reader hears.

import { cost, day, delta, signedShare } from "../format";
import { text } from "../names";
import { type Payload, PointState, type Series } from "../payload";
import { changeAgainstPrevious, type Point } from "./points";
import { predictionInWords } from "./score_row";

/** "load at v1.3: 1.2 M instructions, measured; +200 k instructions (+20%) since v1.2; the new cost stays". */
export function pointInWords(payload: Payload, series: Series, { version }: Point): string {
  const lines = facts(payload, series, version);
  return `${payload.benchmarks[series.benchmark]} at ${payload.versions[version]!.label}: ${lines.join("; ")}`;
}

function facts(payload: Payload, series: Series, version: number): string[] {
  const value = series.values[version] ?? null;
  if (value === null) return [`not measured: ${text(payload, series.reasons[version]!) || "no reason recorded"}`];
  const lines = [`${cost(value, payload.unit)}, ${series.states[version] === PointState.Carried ? "carried over: no executed code changed" : "measured"}`];
  if (series.rewritten.includes(version)) lines.push("the benchmark's own source changed here: not compared with what was before");
  const step = series.rewritten.includes(version) ? null : changeAgainstPrevious(series, version);
  if (step) lines.push(`${delta(step.before, value, payload.unit)} since ${payload.versions[step.version]!.label}`);
  const score = predictionInWords(payload, version);
  if (score !== null) lines.push(`score: ${score}`);
  const change = series.changes.find((each) => each.version === version);
  if (change === undefined) return lines;
  const between = version - change.since - 1;
  if (between > 0) lines.push(`any of the ${between + 1} versions since ${payload.versions[change.since]!.label} may have changed it`);
  // A slow rise has no step: its number is that of what lies before and after.
  const isStep = change.after === value;
  if (change.method === "e_divisive") lines.push(isStep ? "the new cost stays (change point)" : `change point without a step: ${signedShare(change.change)} from what was before to what follows`);
  return lines;
}

interface TipProps {
  payload: Payload;
  /** One entry a benchmark: one for a point, several where gaps coincide. */
  entries: { series: Series; version: number }[];
  x: number;
  y: number;
  flip: boolean;
}

export function Tip({ payload, entries, x, y, flip }: TipProps) {
  const version = payload.versions[entries[0]!.version]!;
  return (
    <div class={flip ? "tip flip" : "tip"} role="tooltip" style={{ left: `${x}px`, top: `${y}px` }}>
      {entries.map((entry) => (
        <div key={entry.series.benchmark}>
          <strong>{payload.benchmarks[entry.series.benchmark]}</strong>
          {facts(payload, entry.series, entry.version).map((line) => (
            <div key={line}>{line}</div>
          ))}
        </div>
      ))}
      <div class="dim">
        {version.label} · <span class="code">{version.commit.slice(0, 10)}</span> · {day(version.time)}
      </div>
      <div class="dim">{version.summary}</div>
    </div>
  );
}
