// The sentence above the drawing: what the delta hot path comes to.

import { Breakable } from "../breakable";
import { Swatch } from "../legend/meanings";
import { ownName, prefix } from "../names";
import { Measure, type Payload } from "../payload";
import type { Tree } from "./tree";
import { glyph, hotPathInWords, isShare } from "./words";

interface HotPathProps {
  payload: Payload;
  whole: Tree;
  measure: Measure;
  /** The last context of it that is drawn: not its leaf where that is in a library, and libraries are folded. */
  end: number;
  onGo: () => void;
}

export function HotPath({ payload, whole, measure, end, onGo }: HotPathProps) {
  const { blueprint } = whole;
  const isInLibrary = end !== blueprint.hot;
  // The caller's own cost has no part of a library's.
  const inclusive = isShare(measure) ? Measure.ShareInclusive : Measure.CostInclusive;
  const { kind, leaf, says, changed } = hotPathInWords(payload, whole, isInLibrary ? inclusive : measure, end);
  return (
    <p class="hot-path" data-kind={kind}>
      <Swatch of={kind} glyph={glyph(kind, payload.better)} />
      <button class="link" onClick={onGo}>
        <span class="before">
          <Breakable text={prefix(payload, leaf)} />
          <wbr />
        </span>
        <strong>{ownName(payload, leaf)}</strong>
      </button>{" "}
      {says}
      {isInLibrary && (
        <>
          , most in <code>{ownName(payload, blueprint.function[blueprint.hot])}</code> of a library
        </>
      )}
      {changed >= 0 && changed !== leaf && (
        <>
          , below <code>{ownName(payload, changed)}</code>, whose source changed
        </>
      )}
      {changed >= 0 && changed === leaf && ", and its source changed"}.
    </p>
  );
}
