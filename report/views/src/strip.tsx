// The verdict in words, first thing on the page; a line that has a comparison opens it. A line says what changed, which functions it
// comes from, and what the version is about.

import { useState } from "preact/hooks";
import { signsOf } from "./better";
import { Breakable } from "./breakable";
import { WithCode } from "./code";
import type { Payload, CostTrend } from "./payload";
import { type Store, useStore } from "./state";

function glyph(tone: CostTrend, better: Payload["better"]): string {
  return { ...signsOf(better), mixed: "◆", same: "=", unknown: "?" }[tone];
}

/** More lines than this are asked for: Rust puts what matters most first. */
const SHOWN = 6;

export function Strip({ payload, store }: { payload: Payload; store: Store }) {
  const { selection } = useStore(store);
  const { tone, text, lines } = payload.headline;
  const [all, setAll] = useState(false);
  const shown = all || lines.length <= SHOWN + 1 ? lines : lines.slice(0, SHOWN);
  return (
    <section class="strip" data-tone={tone} aria-label="Verdict">
      <p class="verdict">
        <span class="glyph" data-tone={tone} aria-hidden="true">
          {glyph(tone, payload.better)}
        </span>
        <span>
          <Breakable text={text} />
        </span>
      </p>
      {lines.length > 0 && (
        <ul>
          {shown.map((line, at) => (
            <li key={at} data-tone={line.tone} data-benchmark={line.benchmark} data-comparison={line.comparison}>
              <span class="glyph" data-tone={line.tone} aria-hidden="true">
                {glyph(line.tone, payload.better)}
              </span>
              <span>
                {line.comparison >= 0 ? (
                  <button
                    class="link"
                    aria-pressed={selection.comparison === line.comparison}
                    onClick={() => store.selectComparison(line.comparison)}
                  >
                    <Breakable text={line.text} />
                  </button>
                ) : (
                  <span>
                    <Breakable text={line.text} />
                  </span>
                )}
                {line.cause !== "" && (
                  <span class="cause">
                    {" "}
                    <WithCode text={line.cause} />
                  </span>
                )}
                {line.summary !== "" && <span class="dim summary"> {line.summary}</span>}
              </span>
            </li>
          ))}
          {shown.length < lines.length && (
            <li>
              <button onClick={() => setAll(true)}>{lines.length - shown.length} more</button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}
