// The meaning of the chart's marks; those that it does not have are left out.

import { isWorse, worseAndBetter } from "../better";
import { Meanings, type Meaning } from "../legend/meanings";
import { type Payload, PointState } from "../payload";
import { FALLS, RISES, STAYS } from "./marks";
import { FLAGGED, MISSED, SKIPPED } from "./score_row";

export function ChartLegend({ payload }: { payload: Payload }) {
  const { chart, better, unit, predictions } = payload;
  const [worse, good] = worseAndBetter(better);
  const step = (change: number) => (isWorse(change, better) ? { kind: "worse", words: worse } : { kind: "good", words: good });
  const [up, down] = [step(1), step(-1)];
  const has = (state: PointState) => chart.some(({ states }) => states.includes(state));
  const all: (Meaning | false)[] = [
    { id: "measured", sign: <Sign class="filled" />, words: "measured" },
    has(PointState.Carried) && { id: "carried", sign: <Sign class="hollow" />, words: "carried over" },
    has(PointState.Gap) && { id: "gap", sign: <Sign class="gap" path="M-3 -3l6 6m0 -6l-6 6" />, words: "no cost of a benchmark" },
    { id: "rise", sign: <Sign class={up.kind} path={RISES} />, words: `step, ${up.words}` },
    { id: "fall", sign: <Sign class={down.kind} path={FALLS} />, words: `step, ${down.words}` },
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
