// Everything known of a node (B11): name, defining type, both sides' numbers with their differences.

import { useLayoutEffect, useRef } from "preact/hooks";
import { standBeside } from "../beside";
import type { DecodedComparison } from "../decode";
import { Swatch } from "../legend/meanings";
import { origin, ownName, prefix, text, typeName } from "../names";
import { type Measure, NodeKind, type Payload } from "../payload";
import { DifferenceTable, type DifferenceRow } from "./difference_table";
import { isNoise, kindOf } from "./encode";
import { callsCells, costCells, difference, glyph, isShare, kindInWords, shareCells } from "./words";

interface TooltipProps {
  payload: Payload;
  comparison: DecodedComparison;
  node: number;
  measure: Measure;
  /** Pixels in the window; it stands beside this point. */
  x: number;
  y: number;
}

export const TOOLTIP = "blueprint-tooltip";

export function Tooltip({ payload, comparison, node, measure, x, y }: TooltipProps) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    standBeside(tip.current!, x, y);
  });
  const { blueprint } = comparison.trees;
  const of = blueprint.function[node];
  const type = typeName(payload, of);
  const kind = kindOf(blueprint, node, measure, payload.better);
  const { unit } = payload;
  const totals = { before: comparison.before.total, after: comparison.after.total };
  const side = (column: number[]) => column[node];
  const rows: DifferenceRow[] = [
    { id: "inclusive", words: "inclusive", cells: costCells(side(blueprint.before), side(blueprint.after), unit) },
    { id: "inclusive-share", words: "  of the total", cells: shareCells(side(blueprint.before), side(blueprint.after), totals) },
    { id: "self", words: "self", cells: costCells(side(blueprint.selfBefore), side(blueprint.selfAfter), unit) },
    { id: "self-share", words: "  of the total", cells: shareCells(side(blueprint.selfBefore), side(blueprint.selfAfter), totals) },
    { id: "calls", words: "calls", cells: callsCells(side(blueprint.callsBefore), side(blueprint.callsAfter), blueprint.kind[node]) },
  ];
  const notes = [
    blueprint.estimated[node] === 1 ? "One of the call counts is an estimate." : "",
    blueprint.w[node] < 0 ? "The difference in calls is unknown and drawn as zero." : "",
    isNoise(blueprint, node, measure) ? "This difference is within noise." : "",
    payload.functions.external[of] === 1 ? "Outside the repository." : "",
  ].filter(Boolean);
  const file = text(payload, payload.functions.file[of]);
  return (
    <div class="tooltip" role="tooltip" id={TOOLTIP} ref={tip} data-node={node}>
      <p class="title">
        <span class="before">{prefix(payload, of)}</span>
        <strong>{ownName(payload, of)}</strong>
      </p>
      <p class="dim defined">
        {type !== "" ? <>defined by <b data-field="type">{type}</b></> : "not a method"}
        {file !== "" && `, ${file}:${payload.functions.line[of]}`}
      </p>
      {origin(payload, of) !== "" && <p class="dim" data-field="origin">{origin(payload, of)}</p>}
      <p data-field="kind">
        <Swatch of={kind} glyph={glyph(kind, payload.better)} />{" "}
        {kindInWords(kind, payload.better)}
        {blueprint.kind[node] !== NodeKind.Both && blueprint.changed[node] === 1 && ", source changed"}
      </p>
      <DifferenceTable comparison={comparison} rows={rows} />
      <p class="drawn" data-field="h">
        Height: <b>{difference(blueprint.h[measure][node], measure, unit)}</b>
        {isShare(measure) && " of the total"}
        {blueprint.kind[node] === NodeKind.New && ", less what its callees cost before"}
        {blueprint.kind[node] === NodeKind.Removed && ", less what its callees cost after"}
      </p>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
    </div>
  );
}
