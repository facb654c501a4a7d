// Everything about one point of the chart, in words; its text is also what a screen reader hears.

import { useLayoutEffect, useRef } from "preact/hooks";
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

/** More benchmarks of one reason than this are counted, not named. */
const NAMED = 4;
/** Pixels between a tip and the edge of the window. */
const MARGIN = 8;

export function Tip({ payload, entries, x, y, flip }: TipProps) {
  const version = payload.versions[entries[0]!.version]!;
  const commit = version.commit.slice(0, 10);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => keepInWindow(element.current!));
  return (
    <div ref={element} class={flip ? "tip flip" : "tip"} role="tooltip" style={{ left: `${x}px`, top: `${y}px` }}>
      {alike(payload, entries).map(({ names, lines }) => (
        <div key={names[0]}>
          <strong>{names.slice(0, NAMED).join(", ")}</strong>
          {names.length > NAMED && ` and ${names.length - NAMED} more`}
          {lines.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </div>
      ))}
      <div class="dim">
        {version.label !== commit && `${version.label} · `}
        <span class="code">{commit}</span> · {day(version.time)}
      </div>
      <div class="dim">{version.summary}</div>
    </div>
  );
}

/** Benchmarks of which the same is said, together. */
function alike(payload: Payload, entries: TipProps["entries"]): { names: string[]; lines: string[] }[] {
  const groups = new Map<string, { names: string[]; lines: string[] }>();
  for (const { series, version } of entries) {
    const lines = facts(payload, series, version);
    const group = groups.get(lines.join()) ?? { names: [], lines };
    group.names.push(payload.benchmarks[series.benchmark]!);
    groups.set(lines.join(), group);
  }
  return [...groups.values()];
}

/** Moves a tip that would leave the window at a side or at the foot. */
function keepInWindow(tip: HTMLElement): void {
  tip.style.margin = "0";
  const { left, right, top, bottom } = tip.getBoundingClientRect();
  const across = Math.max(MARGIN - left, Math.min(0, document.documentElement.clientWidth - MARGIN - right));
  const down = Math.max(MARGIN - top, Math.min(0, window.innerHeight - MARGIN - bottom));
  tip.style.margin = `${Math.min(0, down)}px 0 0 ${across}px`;
}
