// Always in sight at the window's foot: what colours mean in the tab that shows, and the modes in words.

import type { Payload } from "./payload";
import type { State } from "./state";

/** Class of the swatch, glyph inside it, words. */
type Entry = [swatch: string, glyph: string, words: string];

const BLUEPRINT: Entry[] = [
  ["slower-changed", "▲", "slower, source changed"],
  ["slower", "▲", "slower"],
  ["faster-changed", "▼", "faster, source changed"],
  ["faster", "▼", "faster"],
  ["added", "+", "new"],
  ["removed", "−", "removed"],
  ["neutral", "", "no difference, or noise"],
];

const FLAMES: Entry[] = [
  ["grew", "▲", "grew"],
  ["shrank", "▼", "shrank"],
  ["unchanged", "", "unchanged"],
];

export function Legend({ payload, state }: { payload: Payload; state: State }) {
  return (
    <footer class="legend" aria-label="Legend">
      <p class="mode">{modeInWords(payload, state)}</p>
      <ul>
        {(state.view === "flames" ? FLAMES : BLUEPRINT).map(([swatch, glyph, words]) => (
          <li key={swatch} data-meaning={swatch}>
            <span class="swatch" data-swatch={swatch} aria-hidden="true">
              {glyph}
            </span>
            {words}
          </li>
        ))}
      </ul>
    </footer>
  );
}

function modeInWords(payload: Payload, { modes }: State): string {
  const measure = modes.measure === "inclusive" ? "Inclusive cost" : "Self cost";
  const scale = modes.scale === "share" ? "as share of the total" : `in ${payload.unit}`;
  return `${measure} ${scale}, ${payload.better} is better`;
}
