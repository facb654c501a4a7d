// Where the difference of the selected pair comes from: functions whose source changed, with their parts of it. The parts add up.
// A function opens its source.

import { compact, share } from "./format";
import { fullName, origin, ownName, prefix } from "./names";
import type { Cause, Comparison, Payload } from "./payload";
import { type Store, useStore } from "./state";

interface CausesProps {
  payload: Payload;
  comparison: Comparison;
  store: Store;
}

export function Causes({ payload, comparison, store }: CausesProps) {
  const { selection } = useStore(store);
  if (comparison.causes.length === 0) return null;
  return (
    <div class="causes" tabIndex={0} role="region" aria-label="Where the difference comes from">
      <table>
        <thead>
          <tr>
            <th scope="col">The difference comes from</th>
            <th scope="col">which is</th>
            <th scope="col" class="figure">contexts</th>
            <th scope="col" class="figure">difference</th>
            <th scope="col" class="figure">share of it</th>
          </tr>
        </thead>
        <tbody>
          {comparison.causes.map((cause, at) => (
            <tr key={at} data-function={cause.function} data-origin={cause.origin}>
              <th scope="row">
                {cause.function >= 0 ? (
                  <button
                    class="link"
                    title={[fullName(payload, cause.function), origin(payload, cause.function)].filter(Boolean).join(", ")}
                    aria-pressed={selection.function === cause.function}
                    onClick={() => store.select({ function: cause.function })}
                  >
                    <span class="dim">{prefix(payload, cause.function)}</span>
                    <strong>{ownName(payload, cause.function)}</strong>
                  </button>
                ) : (
                  <span class="dim">–</span>
                )}
              </th>
              <td class="dim">{cause.origin}</td>
              <td class="figure">{cause.contexts}</td>
              <td class="figure">
                <span class="glyph" data-tone={tone(payload, cause)} aria-hidden="true">
                  {cause.difference > 0 ? "▲" : "▼"}
                </span>{" "}
                {cause.difference > 0 ? "+" : ""}
                {compact(cause.difference)} {payload.unit}
              </td>
              <td class="figure">{cause.share === null ? "" : share(cause.share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Which way a part went, as good or bad for this unit. */
function tone(payload: Payload, cause: Cause): "slower" | "faster" {
  return cause.difference > 0 === (payload.better === "less") ? "slower" : "faster";
}
