// The frame under the pointer, and its value in all three graphs.

import { useLayoutEffect, useRef } from "preact/hooks";
import { standBeside } from "../beside";
import type { DecodedComparison } from "../decode";
import { origin, text } from "../names";
import type { Payload } from "../payload";
import type { Frames } from "./frames";
import type { GraphSet } from "./graphs";
import type { Names } from "./names";
import { stateInWords, valueInWords } from "./words";

interface HintProps {
  payload: Payload;
  comparison: DecodedComparison;
  frames: Frames;
  set: GraphSet;
  names: Names;
  frame: number;
  /** Pixels in the window. */
  x: number;
  y: number;
}

export function Hint({ payload, comparison, frames, set, names, frame, x, y }: HintProps) {
  const hint = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    standBeside(hint.current!, x, y);
  });
  const of = frames.function[frame];
  const file = text(payload, payload.functions.file[of]);
  const rows: [string, string][] = [
    [`before, ${comparison.before.label}`, valueInWords(frames, set, "before", frame, payload.unit)],
    [`after, ${comparison.after.label}`, valueInWords(frames, set, "after", frame, payload.unit)],
    ["difference", valueInWords(frames, set, "diff", frame, payload.unit)],
  ];
  return (
    <div class="tooltip" role="tooltip" ref={hint} data-frame={frame}>
      <p class="title">
        <span class="before">{names.prefix[of]}</span>
        <strong>{names.label[of]}</strong>
      </p>
      <p class="dim">
        {stateInWords(frames, set, frame, names.changed[of] === 1)}
        {file !== "" && ` · ${file}:${payload.functions.line[of]}`}
        {payload.functions.external[of] === 1 && " · outside the repository"}
      </p>
      {origin(payload, of) !== "" && <p class="dim" data-field="origin">{origin(payload, of)}</p>}
      <table>
        <tbody>
          {rows.map(([words, value]) => (
            <tr key={words}>
              <th scope="row">{words}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
