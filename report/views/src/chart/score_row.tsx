// The word of the score on each version, below the plot: flagged, skipped, or skipped though a benchmark made a step.

import { share } from "../format";
import type { Payload, Predictions } from "../payload";
import type { Frame } from "./plot";

const HEIGHT = 14;
const WIDEST = 7;

export const FLAGGED = "M-3 -3h6v6h-6z";
export const SKIPPED = "M-3 0h6";
export const MISSED = "M0 -6v7m0 3v2";

export function ScoreRow({ payload, predictions, frame }: { payload: Payload; predictions: Predictions; frame: Frame }) {
  const narrow = Math.min(1, (frame.x(1) - frame.x(0)) / (WIDEST + 1));
  return (
    <svg class="scores" width={frame.left + frame.width} height={HEIGHT} role="img" aria-label={predictions.record}>
      <text x={frame.left - 12} y={HEIGHT - 4} text-anchor="end">
        score
      </text>
      {payload.versions.map((_, version) => {
        const said = predictionInWords(payload, version);
        if (said === null) return null;
        const kind = kindOf(predictions, version);
        return (
          <g key={version} class={`score ${kind}`} data-version={version} data-score={kind} transform={`translate(${frame.left + frame.x(version)},${HEIGHT / 2}) scale(${narrow},1)`}>
            <title>{`${payload.versions[version]!.label}: ${said}`}</title>
            <path d={{ flagged: FLAGGED, skipped: SKIPPED, missed: MISSED }[kind]} />
          </g>
        );
      })}
    </svg>
  );
}

function kindOf({ flagged, missed }: Predictions, version: number): "flagged" | "skipped" | "missed" {
  if (missed.some(([, at]) => at === version)) return "missed";
  return flagged[version] ? "flagged" : "skipped";
}

/** "flagged, risk 34%", "skipped, risk 0.2%, and missed load"; null where a version was not scored. */
export function predictionInWords(payload: Payload, version: number): string | null {
  const { flagged = [], risk = [], missed = [] } = payload.predictions ?? {};
  const [isFlagged, probability] = [flagged[version] ?? null, risk[version] ?? null];
  if (isFlagged === null || probability === null) return null;
  const names = missed.filter(([, at]) => at === version).map(([benchmark]) => payload.benchmarks[benchmark]);
  return `${isFlagged ? "flagged" : "skipped"}, risk ${share(probability)}${names.length > 0 ? `, and missed ${names.join(", ")}` : ""}`;
}
