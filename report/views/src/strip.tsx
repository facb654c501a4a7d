// The verdict in words, first thing on the page; a line that has a comparison opens it.

import type { Payload, Tone } from "./payload";
import { type Store, useStore } from "./state";

const GLYPHS: Record<Tone, string> = { slower: "▲", faster: "▼", mixed: "◆", same: "=", unknown: "?" };

export function Strip({ payload, store }: { payload: Payload; store: Store }) {
  const { selection } = useStore(store);
  const { tone, text, lines } = payload.headline;
  return (
    <section class="strip" data-tone={tone} aria-label="Verdict">
      <p class="verdict">
        <span class="glyph" data-tone={tone} aria-hidden="true">
          {GLYPHS[tone]}
        </span>
        {text}
      </p>
      {lines.length > 0 && (
        <ul>
          {lines.map((line, at) => (
            <li key={at} data-tone={line.tone} data-benchmark={line.benchmark} data-comparison={line.comparison}>
              <span class="glyph" data-tone={line.tone} aria-hidden="true">
                {GLYPHS[line.tone]}
              </span>
              {line.comparison >= 0 ? (
                <button
                  class="link"
                  aria-pressed={selection.comparison === line.comparison}
                  onClick={() => store.selectComparison(line.comparison)}
                >
                  {line.text}
                </button>
              ) : (
                <span>{line.text}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
