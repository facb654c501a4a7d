// The legend of the set, always above it: what the colours mean in which graph (D3, D4), with the ramp itself.

import { useEffect, useRef } from "preact/hooks";
import type { DecodedComparison } from "../decode";
import type { Payload } from "../payload";
import type { Style } from "./paint";
import { colorsInWords } from "./words";

export function Key({ payload, comparison, style }: { payload: Payload; comparison: DecodedComparison; style: Style }) {
  const words = colorsInWords(payload.better);
  return (
    <div class="key">
      <p class="colors">
        <span>{words.shrank}</span>
        <span class="ramp" aria-hidden="true">
          {style.ramp.map(({ fill }, at) => (
            <Step key={at} fill={fill} />
          ))}
        </span>
        <span>{words.grew}</span>
        <span class="dim">· white: unchanged, or within noise · the darker, the larger among the changes</span>
      </p>
      <p class="dim">
        <b>After</b> and <b>Difference</b>: from {comparison.before.label} to {comparison.after.label}. <b>Before</b>: what reverting would do, red would grow, blue would shrink.{" "}
        <span class="notched">◥</span> source changed · + new · − removed, dashed
      </p>
    </div>
  );
}

/** The page's policy forbids style attributes, not styles. */
function Step({ fill }: { fill: string }) {
  const step = useRef<HTMLElement>(null);
  useEffect(() => {
    step.current!.style.background = fill;
  }, [fill]);
  return <i ref={step} />;
}
