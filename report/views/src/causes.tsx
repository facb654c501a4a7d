// Where the difference of the selected pair comes from: functions whose source changed, with their parts of it. The parts add up.
// A function opens its source.

import type { Ref } from "preact";
import { toneOf } from "./better";
import { Breakable } from "./breakable";
import { compact, share } from "./format";
import { fullName, origin, ownName, prefix } from "./names";
import type { Comparison, Payload, Version } from "./payload";
import { type Store, useStore } from "./state";

/** Versions of a function that are named. */
const NAMED = 3;

interface CausesProps {
  table: Ref<HTMLTableElement>;
  payload: Payload;
  comparison: Comparison;
  store: Store;
}

export function Causes({ table, payload, comparison, store }: CausesProps) {
  const { selection } = useStore(store);
  if (comparison.causes.length === 0) return null;
  const hasVersions = comparison.causes.some(({ versions }) => versions.length > 0);
  return (
    <div class="causes" tabIndex={0} role="region" aria-label="Where the difference comes from">
      <table ref={table}>
        <thead>
          <tr>
            <th scope="col">The difference comes from</th>
            <th scope="col">which is</th>
            {hasVersions && <th scope="col">changed in</th>}
            <th scope="col" class="figure contexts">contexts</th>
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
                    <span class="dim">
                      <Breakable text={prefix(payload, cause.function)} />
                      <wbr />
                    </span>
                    <strong>{ownName(payload, cause.function)}</strong>
                  </button>
                ) : (
                  <span class="dim">–</span>
                )}
              </th>
              <td class="dim">{cause.origin}</td>
              {hasVersions && <td>{cause.versions.map((version) => payload.versions[version]!).map(named)}</td>}
              <td class="figure contexts">{cause.contexts}</td>
              <td class="figure">
                <span class="glyph" data-tone={toneOf(cause.difference, payload.better)} aria-hidden="true">
                  {cause.difference > 0 ? "▲" : "▼"}
                </span>{" "}
                {cause.difference > 0 ? "+" : ""}
                {compact(cause.difference)}
                <span class="unit"> {payload.unit}</span>
              </td>
              <td class="figure">{cause.share === null ? "" : share(cause.share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {comparison.causes.some((cause) => Math.abs(cause.share ?? 0) > 1) && (
        <p class="dim">The shares add up to 100%. Parts that cost more and parts that cost less are each larger than what is left of both.</p>
      )}
    </div>
  );
}

/** The last versions of many, as those that a reader looks at first. */
function named({ commit, label, summary }: Version, at: number, all: Version[]) {
  if (at < all.length - NAMED) return at === 0 ? <span class="dim" key={commit}>{all.length - NAMED} more, </span> : null;
  return (
    <span class="code" key={commit} title={summary}>
      {label}
      {at < all.length - 1 && " "}
    </span>
  );
}
