// The chart's own legend: every benchmark with its line, last cost and whole change; pressing one hides or shows it,
// pointing at one or focusing it makes it stand out.

import { compact, signedShare } from "../format";
import { PathName } from "../path_name";
import type { Payload, Series } from "../payload";
import type { Line } from "./plot";
import { lastValue, wholeChange } from "./points";

export interface BenchmarksProps {
  payload: Payload;
  series: Series[];
  /** Of each series. */
  lines: Line[];
  /** Benchmarks that are drawn. */
  ticked: ReadonlySet<number>;
  selected: number;
  onTick: (benchmarks: number[], to: boolean) => void;
  /** -1: none. */
  onEmphasis: (benchmark: number) => void;
}

export function Benchmarks({ payload, series, lines, ticked, selected, onTick, onEmphasis }: BenchmarksProps) {
  return (
    <ul class="benchmarks" aria-label="Benchmarks: press to hide or show">
      {series.map((each, at) => {
        const [last, change] = [lastValue(each), wholeChange(each)];
        const { benchmark } = each;
        const isDrawn = ticked.has(benchmark);
        return (
          <li key={benchmark}>
            <button
              data-benchmark={benchmark}
              aria-pressed={isDrawn}
              class={benchmark === selected ? "selected" : ""}
              onClick={() => onTick([benchmark], !isDrawn)}
              onPointerEnter={() => onEmphasis(benchmark)}
              onPointerLeave={() => onEmphasis(-1)}
              onFocus={() => onEmphasis(benchmark)}
              onBlur={() => onEmphasis(-1)}
            >
              <svg width="18" height="10" aria-hidden="true">
                <line x1="0" y1="5" x2="18" y2="5" stroke={lines[at]!.color} stroke-width="2" stroke-dasharray={lines[at]!.dash.join(" ")} />
                {isDrawn && <circle cx="9" cy="5" r="3" fill={lines[at]!.color} />}
              </svg>
              <span class="name">
                <PathName name={payload.benchmarks[benchmark]!} />
              </span>
              <span class="value">{last === null ? "no value" : compact(last)}</span>
              <span class="value change">{change === null ? "" : signedShare(change)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
