// The meaning of a glyph of the matrix (M4 to M7), with the scale of its colours.

import { diverging, inkOn } from "../colors";
import { signedShare } from "../format";
import { Meanings } from "../legend/meanings";
import type { Payload } from "../payload";
import type { Modes } from "../state";
import { useColors } from "../theme";

const TICKS = [-1, -0.1, 0, 0.1, 1];
const TICK = 42;

export function MatrixLegend({ payload, modes }: { payload: Payload; modes: Modes }) {
  const { unit, better, matrices } = payload;
  const timelines = {
    id: "timeline",
    sign: (
      <svg width="16" height="12" aria-hidden="true">
        <g class="timeline">
          <path class="gray" d="M0 12V4H8V0H12V12z" />
          <path class="blue" d="M0 12V8H4V2H8V12z" />
        </g>
      </svg>
    ),
    words: "in an open version: cost by time, before it in gray",
  };
  return (
    <Meanings
      mode={`Inclusive cost in ${unit}, ${better} is better`}
      all={[
        { id: "modified", sign: <i class="top-key" />, words: "modified functions, the wider the more" },
        { id: "cost", sign: <i class="bottom-key" />, words: "height: cost (containers: of the most expensive function)" },
        { id: "change", sign: <ChangeScale better={better} modes={modes} />, words: "colour: against the version before" },
        ...(matrices.some((matrix) => matrix.timelines.length > 0) ? [timelines] : []),
      ]}
    />
  );
}

function ChangeScale({ better, modes }: { better: Payload["better"]; modes: Modes }) {
  const colors = useColors(modes);
  return (
    <svg class="scale" width={TICKS.length * TICK} height="16" aria-hidden="true">
      {TICKS.map((change, at) => {
        const fill = diverging(change, colors, better);
        return (
          <g key={change} data-change={change}>
            <rect x={at * TICK} width={TICK} height="16" fill={fill} />
            <text x={at * TICK + TICK / 2} y="12" text-anchor="middle" fill={inkOn(fill)}>
              {signedShare(change).replace(".0", "")}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
