// The meaning of a box of the blueprint: its colour (B7), height (B3), width (B4) and border (B8).

import { worseAndBetter } from "../better";
import { Meanings, Swatch } from "../legend/meanings";
import type { Payload } from "../payload";
import type { Modes } from "../state";
import { measureOf } from "./encode";
import { glyph, heightInWords } from "./words";

export function BlueprintLegend({ payload, modes }: { payload: Payload; modes: Modes }) {
  const [worse, good] = worseAndBetter(payload.better);
  const colours = [
    ["slower-changed", `${worse}, source changed`],
    ["slower", worse],
    ["faster-changed", `${good}, source changed`],
    ["faster", good],
    ["added", "new"],
    ["removed", "removed"],
    ["neutral", "no difference, or noise"],
  ] as const;
  const height = heightInWords(measureOf(modes), payload.unit);
  return (
    <Meanings
      mode={`Height: ${height}, ${payload.better} is better`}
      all={[
        ...colours.map(([kind, words]) => ({ id: kind, sign: <Swatch of={kind} glyph={glyph(kind, payload.better)} />, words })),
        { id: "width", sign: <i class="width-key" />, words: "difference of calls, logarithmic" },
        { id: "border", sign: <i class="border-key" />, words: "callees not shown" },
      ]}
    />
  );
}
