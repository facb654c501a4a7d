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
  ["added", "＋", "new"],
  ["removed", "−", "removed"],
  ["neutral", "", "no difference beyond noise"],
];

const FLAMES: Entry[] = [
  ["grew", "▲", "grew"],
  ["shrank", "▼", "shrank"],
  ["unchanged", "", "unchanged"],
];

export function Legend({ payload, state }: { payload: Payload; state: State }) {
  return (
    <footer class="legend" aria-label="Legend">
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
      <p class="mode">{modeInWords(payload, state)}</p>
    </footer>
  );
}

function modeInWords(payload: Payload, { modes }: State): string {
  const measure = modes.measure === "inclusive" ? "inclusive cost (with callees)" : "self cost (without callees)";
  const scale = modes.scale === "share" ? "as a share of each side's total" : `in ${payload.unit}`;
  return `Shown: ${measure} ${scale}; ${payload.better} is better`;
}
