// The chart's points: values in the scale that shows, where a line stops, which point is nearest to a pointer.

import { badness, isWorse } from "../better";
import { signedShare } from "../format";
import { text } from "../names";
import { csv } from "../save/csv";
import type { Payload, Series, SeriesChange } from "../payload";

export type Scale = "absolute" | "relative";

/** A benchmark at a version. */
export interface Point {
  benchmark: number;
  version: number;
}

/** Benchmarks further apart than this are compared by their change: on one axis of costs the small ones would be flat. */
const COMPARABLE = 5;

export function openingScale(chart: Series[]): Scale {
  const first = chart.map((series) => firstValue(series)).filter((value): value is number => value !== null && value > 0);
  return first.length > 1 && Math.max(...first) / Math.min(...first) > COMPARABLE ? "relative" : "absolute";
}

/** First version of the benchmark's source at a version: a rewritten benchmark is another one from there on (R1). */
export function sourceSince(series: Series, version: number): number {
  return series.rewritten.findLast((start) => start <= version) ?? 0;
}

/** The first known cost of the benchmark's source at a version; null where there is none. */
export function firstValue(series: Series, version = series.values.length - 1): number | null {
  return series.values.slice(sourceSince(series, version), version + 1).find((value) => value !== null) ?? null;
}

export function lastValue(series: Series): number | null {
  return series.values.findLast((value) => value !== null) ?? null;
}

/** From the first to the last known cost of the newest source; null where that is not known. */
export function wholeChange(series: Series): number | null {
  const last = series.values.findLastIndex((value) => value !== null);
  const first = last < 0 ? null : firstValue(series, last);
  return first ? series.values[last]! / first - 1 : null;
}

/** The cost, or its change against the first value of the same source as a fraction. */
export function scaled(series: Series, version: number, scale: Scale): number | null {
  const value = series.values[version] ?? null;
  if (value === null || scale === "absolute") return value;
  const first = firstValue(series, version);
  return first ? value / first - 1 : null;
}

/** The change against the last version before of the same source that has a value; null for the first. */
export function changeAgainstPrevious(series: Series, version: number): { version: number; before: number; change: number } | null {
  const after = series.values[version] ?? null;
  for (let earlier = version - 1; earlier >= sourceSince(series, version); earlier--) {
    const before = series.values[earlier] ?? null;
    if (before !== null && after !== null) return { version: earlier, before, change: before === 0 ? 0 : after / before - 1 };
  }
  return null;
}

/** "+12.0% at v1.3"; where any of several versions may have made it, "+12.0% between v1.1 and v1.3". */
export function changeInWords(payload: Payload, { since, version, change }: SeriesChange): string {
  const label = (at: number) => payload.versions[at]!.label;
  return `${signedShare(change)} ${version - since > 1 ? `between ${label(since)} and ${label(version)}` : `at ${label(version)}`}`;
}

/** The change that matters most to a reader: the worst, else the one that gained most; null where nothing changed. */
export function worstStep(series: Series, better: Payload["better"]): SeriesChange | null {
  const sorted = [...series.changes].sort((a, b) => badness(b.change - a.change, better));
  return sorted.length === 0 ? null : isWorse(sorted[0]!.change, better) ? sorted[0]! : sorted.at(-1)!;
}

/** "v1.3,load,1200,measured" for every point, gaps included (R2). */
export function toCsv(payload: Payload): string {
  const rows = payload.chart.flatMap((series) =>
    payload.versions.map(({ commit, label }, version) => [
      label,
      commit,
      payload.benchmarks[series.benchmark]!,
      series.values[version] ?? null,
      payload.unit,
      ["measured", "carried over", "gap"][series.states[version]!]!,
      text(payload, series.reasons[version]!),
    ]),
  );
  return csv(["version", "commit", "benchmark", "cost", "unit", "state", "reason"], rows);
}
