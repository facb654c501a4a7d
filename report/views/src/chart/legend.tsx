// The meaning of the chart's marks; those that it does not have are left out.

import { Meanings, type Meaning } from "../legend/meanings";
import { type Payload, PointState } from "../payload";
import { FALLS, RISES, STAYS } from "./marks";
import { FLAGGED, MISSED, SKIPPED } from "./score_row";

export function ChartLegend({ payload }: { payload: Payload }) {
  const { chart, better, unit, predictions } = payload;
  const [worse, good] = better === "less" ? ["slower", "faster"] : ["worse", "better"];
  const [up, down] = better === "less" ? [worse, good] : [good, worse];
  const has = (state: PointState) => chart.some(({ states }) => states.includes(state));
  const all: (Meaning | false)[] = [
    { id: "measured", sign: <Sign class="filled" />, words: "measured" },
    has(PointState.Carried) && { id: "carried", sign: <Sign class="hollow" />, words: "carried over" },
    has(PointState.Gap) && { id: "gap", sign: <Sign class="gap" path="M-3 -3l6 6m0 -6l-6 6" />, words: "no cost" },
    { id: "rise", sign: <Sign class={better === "less" ? "worse" : "good"} path={RISES} />, words: `step, ${up}` },
    { id: "fall", sign: <Sign class={better === "less" ? "good" : "worse"} path={FALLS} />, words: `step, ${down}` },
    chart.some(({ changes }) => changes.some(({ method }) => method === "e_divisive")) && {
      id: "stays",
      sign: <Sign class="solid" path={STAYS} />,
      words: "stays (change point)",
    },
    chart.some(({ rewritten }) => rewritten.length > 0) && {
      id: "rewritten",
      sign: <Sign class="rewritten" path="M0 -6V6" />,
      words: "benchmark rewritten",
    },
    predictions !== null && { id: "flagged", sign: <Sign class="solid" path={FLAGGED} />, words: "score: flagged" },
    predictions !== null && { id: "skipped", sign: <Sign class="line" path={SKIPPED} />, words: "skipped" },
    predictions !== null && predictions.missed.length > 0 && { id: "missed", sign: <Sign class="missed" path={MISSED} />, words: "missed" },
  ];
  return <Meanings mode={`Cost in ${unit}, ${better} is better`} all={all.filter((each) => each !== false)} />;
}

function Sign({ class: kind, path }: { class: string; path?: string }) {
  return (
    <svg class={`sign ${kind}`} width="12" height="14" viewBox="-6 -7 12 14" aria-hidden="true">
      {path ? <path d={path} /> : <circle r="3" />}
    </svg>
  );
}
