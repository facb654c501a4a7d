// The meaning of the colours of the three graphs (D3, D4), with the ramp itself.

import { isWorse } from "../better";
import { Meanings, Swatch } from "../legend/meanings";
import type { Payload } from "../payload";
import type { Modes } from "../state";
import { useColors } from "../theme";
import { ramp } from "./ramp";

const STEP = 8;

export function FlamesLegend({ payload, modes }: { payload: Payload; modes: Modes }) {
  const { better, unit } = payload;
  const [grew, shrank] = [1, -1].map((change) => (isWorse(change, better) ? "worse" : "better"));
  const measure = modes.measure === "inclusive" ? "Inclusive cost" : "Self cost";
  const scale = modes.scale === "share" ? "as share of the total" : `in ${unit}`;
  return (
    <Meanings
      mode={`${measure} ${scale}, ${better} is better; “Before”: what a revert would do`}
      all={[
        { id: "ramp", sign: <Ramp {...{ better, modes }} />, words: `from shrank (${shrank}) to grew (${grew}); white: unchanged, or noise` },
        { id: "notched", sign: <Swatch of="notched" glyph="◥" />, words: "source changed" },
        { id: "added", sign: <Swatch of="unchanged" glyph="+" />, words: "new" },
        { id: "dashed", sign: <Swatch of="dashed" glyph="−" />, words: "removed" },
      ]}
    />
  );
}

function Ramp({ better, modes }: { better: Payload["better"]; modes: Modes }) {
  const steps = ramp(useColors(modes), better);
  return (
    <svg class="scale" width={steps.length * STEP} height="14" aria-hidden="true">
      {steps.map(({ fill }, at) => (
        <rect key={at} x={at * STEP} width={STEP} height="14" fill={fill} />
      ))}
    </svg>
  );
}
