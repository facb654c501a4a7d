// The meaning of a row of the ranking.

import { toneOf } from "../better";
import { Meanings } from "../legend/meanings";
import type { Payload } from "../payload";

export function RankingLegend({ payload }: { payload: Payload }) {
  const [grew, shrank] = [toneOf(1, payload.better), toneOf(-1, payload.better)];
  const words = { slower: "worse", faster: "better" };
  const glyph = (tone: "slower" | "faster", text: string) => (
    <span class="glyph" data-tone={tone} aria-hidden="true">
      {text}
    </span>
  );
  return (
    <Meanings
      mode={`Cost of each stack's last function in ${payload.unit}, ${payload.better} is better`}
      all={[
        { id: "grew", sign: glyph(grew, "▲"), words: words[grew] },
        { id: "shrank", sign: glyph(shrank, "▼"), words: words[shrank] },
        { id: "called", sign: "←", words: "called by" },
      ]}
    />
  );
}
