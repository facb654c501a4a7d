// The tooltip of a folded box: the first contexts in it, with both sides' costs.

import { useLayoutEffect, useRef } from "preact/hooks";
import { standBeside } from "../beside";
import type { DecodedComparison } from "../decode";
import { integer } from "../format";
import { Swatch } from "../legend/meanings";
import { ownName } from "../names";
import type { Measure, Payload } from "../payload";
import { DifferenceTable, type DifferenceRow } from "./difference_table";
import { kindOfBox } from "./encode";
import type { Drawn } from "./fold";
import { changedIn, foldAmount, foldKindInWords, foldName } from "./fold_words";
import { TOOLTIP } from "./tooltip";
import type { Tree } from "./tree";
import { costCells, glyph, isShare } from "./words";

interface FoldTipProps {
  payload: Payload;
  comparison: DecodedComparison;
  tree: Tree;
  box: Drawn;
  measure: Measure;
  /** Pixels in the window; it stands beside this point. */
  x: number;
  y: number;
}

const MOST_LISTED = 8;

export function FoldTip({ payload, comparison, tree, box, measure, x, y }: FoldTipProps) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    standBeside(tip.current!, x, y);
  });
  const { blueprint } = tree;
  const kind = kindOfBox(blueprint, box, measure, payload.better);
  const changed = changedIn(tree, box);
  const more = box.members.length - MOST_LISTED;
  const row = (node: number): DifferenceRow => ({
    id: String(node),
    words: ownName(payload, blueprint.function[node]),
    cells: costCells(blueprint.before[node], blueprint.after[node], payload.unit),
  });
  return (
    <div class="tooltip" role="tooltip" id={TOOLTIP} ref={tip} data-node={box.id} data-fold={box.fold}>
      <p class="title">
        <strong>{foldName(payload, tree, box)}</strong>
      </p>
      <p data-field="kind">
        <Swatch of={kind} glyph={glyph(kind, payload.better)} />{" "}
        {foldKindInWords(payload, tree, box, measure)}: <b>{foldAmount(payload, box, measure)}</b>
        {isShare(measure) && " of the total"}
      </p>
      <DifferenceTable comparison={comparison} rows={box.members.slice(0, MOST_LISTED).map(row)} />
      {more > 0 && <p class="note">and {integer(more)} more</p>}
      {box.contexts > box.members.length && <p class="note">{integer(box.contexts)} contexts in all</p>}
      {changed > 0 && <p class="note">The source of {integer(changed)} of them changed.</p>}
      <p class="note">Click or Enter unfolds.</p>
    </div>
  );
}
