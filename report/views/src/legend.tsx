// Always in sight at the window's foot: what colours mean in the tab that shows, and the modes in words.

import type { Payload } from "./payload";
import type { State } from "./state";

/** Class of the swatch, glyph inside it, words. */
type Entry = [swatch: string, glyph: string, words: string];

/** Of the tab that shows; of a page without a pair, what chart and matrix say. */
function entries(payload: Payload, state: State): Entry[] {
  const [worse, better] = payload.better === "less" ? ["slower", "faster"] : ["worse", "better"];
  if (state.selection.comparison < 0) {
    return [
      ["slower-changed", "▲", worse],
      ["faster-changed", "▼", better],
      ["neutral", "", "no change"],
    ];
  }
  if (state.view === "flames") {
    // Red is always growth; whether that is good depends on the unit (D3).
    const [grew, shrank] = payload.better === "less" ? ["worse", "better"] : ["better", "worse"];
    return [
      ["grew", "▲", `grew: ${grew}`],
      ["shrank", "▼", `shrank: ${shrank}`],
      ["unchanged", "", "unchanged, or noise"],
      ["notched", "", "source changed"],
      ["dashed", "−", "removed"],
    ];
  }
  return [
    ["slower-changed", "▲", `${worse}, source changed`],
    ["slower", "▲", worse],
    ["faster-changed", "▼", `${better}, source changed`],
    ["faster", "▼", better],
    ["added", "+", "new"],
    ["removed", "−", "removed"],
    ["neutral", "", "no difference, or noise"],
  ];
}

export function Legend({ payload, state }: { payload: Payload; state: State }) {
  return (
    <footer class="legend" aria-label="Legend">
      <p class="mode">{modeInWords(payload, state)}</p>
      <ul>
        {entries(payload, state).map(([swatch, glyph, words]) => (
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

function modeInWords(payload: Payload, { modes, selection, view }: State): string {
  const hasTrees = selection.comparison >= 0;
  const measure = modes.measure === "inclusive" || !hasTrees ? "Inclusive cost" : "Self cost";
  const scale = modes.scale === "share" && hasTrees ? "as share of the total" : `in ${payload.unit}`;
  const revert = view === "flames" && hasTrees ? "; “Before”: what a revert would do" : "";
  return `${measure} ${scale}, ${payload.better} is better${revert}`;
}
