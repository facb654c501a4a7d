// The chart's points: values in the scale that shows, where a line stops, which point is nearest to a pointer.

import { text } from "../names";
import type { Payload, Series } from "../payload";

export type Scale = "absolute" | "relative";

/** A benchmark at a version. */
export interface Point {
  benchmark: number;
  version: number;
}

/** Benchmarks further apart than this are compared by their change: on one axis of costs the small ones would be flat. */
const COMPARABLE = 5;

export function openingScale(chart: Series[]): Scale {
  const first = chart.map(firstValue).filter((value): value is number => value !== null && value > 0);
  return first.length > 1 && Math.max(...first) / Math.min(...first) > COMPARABLE ? "relative" : "absolute";
}

/** null where a benchmark was never measured. */
export function firstValue(series: Series): number | null {
  return series.values.find((value) => value !== null) ?? null;
}

/** The cost, or its change against the benchmark's first value as a fraction. */
export function scaled(series: Series, version: number, scale: Scale): number | null {
  const value = series.values[version] ?? null;
  if (value === null || scale === "absolute") return value;
  const first = firstValue(series);
  return first ? value / first - 1 : null;
}

/** The change against the last version before that has a value; null for the first. */
export function changeAgainstPrevious(series: Series, version: number): { version: number; before: number; change: number } | null {
  const after = series.values[version] ?? null;
  for (let earlier = version - 1; earlier >= 0; earlier--) {
    const before = series.values[earlier] ?? null;
    if (before !== null && after !== null) return { version: earlier, before, change: before === 0 ? 0 : after / before - 1 };
  }
  return null;
}

/** Name of each method that finds a change, as in "jump +12.0%". */
export const METHODS = { jump: "jump", e_divisive: "change point" } as const;

/** "v1.3,load,1200,measured" for every point, gaps included (R2). */
export function toCsv(payload: Payload): string {
  const quote = (field: string) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
  const rows = payload.chart.flatMap((series) =>
    payload.versions.map(({ commit, label }, version) =>
      [
        label,
        commit,
        payload.benchmarks[series.benchmark]!,
        String(series.values[version] ?? ""),
        payload.unit,
        ["measured", "carried over", "gap"][series.states[version]!]!,
        text(payload, series.reasons[version]!),
      ].map(quote).join(","),
    ),
  );
  return ["version,commit,benchmark,cost,unit,state,reason", ...rows].join("\n") + "\n";
}
