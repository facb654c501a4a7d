// The matrix's title line: which benchmark, what is hidden (M3), the steps of the top box (M4), row height, folding.

import type { ComponentChildren } from "preact";
import { share } from "../format";
import type { Payload } from "../payload";
import { HIDDEN_BELOW, type MatrixModel, type Thresholds, THRESHOLDS } from "./model";

/** Settings of the reader; they are kept when the benchmark changes. */
export interface Options {
  threshold: number;
  thresholds: Thresholds;
  tall: boolean;
  /** T1: only functions that changed in several versions and whose cost moved each time. */
  onlyMoving: boolean;
}

export const OPTIONS: Options = { threshold: HIDDEN_BELOW, thresholds: THRESHOLDS, tall: false, onlyMoving: false };

const MOST_HIDDEN = 0.2;

interface ControlsProps {
  payload: Payload;
  model: MatrixModel;
  /** Benchmark the page has selected, where the matrix shown is another's; else -1. */
  missing: number;
  options: Options;
  onOptions: (options: Options) => void;
  onBenchmark: (benchmark: number) => void;
  onFold: (all: boolean) => void;
  save: ComponentChildren;
}

export function Controls({ payload, model, missing, options, onOptions, onBenchmark, onFold, save }: ControlsProps) {
  const { matrix } = model;
  const { threshold, thresholds, tall, onlyMoving } = options;
  const hidden = model.count - matrix.rows.share.filter((_, row) => model.passes(row, threshold, onlyMoving)).length;
  const setStep = (step: keyof Thresholds, value: number) => {
    if (Number.isInteger(value) && value > 0) onOptions({ ...options, thresholds: { ...thresholds, [step]: value } });
  };
  return (
    <header class="bar">
      <h2 id="matrix-title">Matrix</h2>
      {payload.matrices.length > 1 ? (
        <select aria-label="Benchmark" value={String(matrix.benchmark)} onChange={(event) => onBenchmark(Number(event.currentTarget.value))}>
          {payload.matrices.map(({ benchmark }) => (
            <option key={benchmark} value={String(benchmark)}>
              {payload.benchmarks[benchmark]}
            </option>
          ))}
        </select>
      ) : (
        <span>{payload.benchmarks[matrix.benchmark]}</span>
      )}
      {missing >= 0 && <span class="dim">(of {payload.benchmarks[missing]} there is none)</span>}
      <span class="spacer" />
      <label>
        <span class="dim">Hide below</span>{" "}
        <input
          type="range"
          name="threshold"
          min="0"
          max={MOST_HIDDEN}
          step="0.005"
          value={threshold}
          onInput={(event) => onOptions({ ...options, threshold: Number(event.currentTarget.value) })}
        />{" "}
        <output>{share(threshold)}</output>
      </label>
      <span class="dim hidden-count">{hidden === 0 ? "none hidden" : `${hidden} of ${model.count} hidden`}</span>
      <label>
        <span class="dim">Top box wide ≥</span>{" "}
        <input type="number" name="medium" min="1" value={thresholds.medium} onChange={(event) => setStep("medium", Number(event.currentTarget.value))} />
      </label>
      <label>
        <span class="dim">full ≥</span>{" "}
        <input type="number" name="large" min="1" value={thresholds.large} onChange={(event) => setStep("large", Number(event.currentTarget.value))} />
      </label>
      <button
        aria-pressed={onlyMoving}
        title="Only functions whose source changed in several versions, and whose cost moved each time"
        onClick={() => onOptions({ ...options, onlyMoving: !onlyMoving })}
      >
        Moved each time
      </button>
      <button aria-pressed={tall} onClick={() => onOptions({ ...options, tall: !tall })}>
        Tall rows
      </button>
      <button onClick={() => onFold(true)}>Collapse all</button>
      <button onClick={() => onFold(false)}>Expand all</button>
      {save}
    </header>
  );
}
