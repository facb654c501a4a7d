// The heading of the tabs: which two executions they show, what each cost, and every other pair the report holds.

import { cost, delta } from "./format";
import type { Comparison, Payload } from "./payload";
import { type Store, useStore } from "./state";

export function Pair({ payload, store }: { payload: Payload; store: Store }) {
  const { selection } = useStore(store);
  const held = payload.comparisons[selection.comparison];
  if (!held) return null;
  const { before, after } = held;
  return (
    <section class="pair" aria-label="Selected pair">
      <h2>{sides(payload, held)}</h2>
      <p class="numbers" data-before={before.total} data-after={after.total}>
        {cost(before.total, payload.unit)} → {cost(after.total, payload.unit)} <strong>{delta(before.total, after.total, payload.unit)}</strong>
      </p>
      {payload.comparisons.length > 1 && (
        <label>
          <span class="dim">Pair</span>{" "}
          <select value={String(selection.comparison)} onChange={(event) => store.selectComparison(Number(event.currentTarget.value))}>
            {payload.comparisons.map((each, at) => (
              <option key={at} value={String(at)}>
                {sides(payload, each)}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  );
}

/** "parse_large: v1.2 → v1.3". */
function sides(payload: Payload, { before, after }: Comparison): string {
  const name = (benchmark: number) => payload.benchmarks[benchmark] ?? "";
  if (before.benchmark === after.benchmark) return `${name(after.benchmark)}: ${before.label} → ${after.label}`;
  return `${name(before.benchmark)} ${before.label} → ${name(after.benchmark)} ${after.label}`;
}
