// The label of a box: beside it, or inside if it has room. Readers of the tree hear more than that, so it is hidden from them.

import { labelWithin, prefixWithin, shortenPath } from "../format";
import { fullName, ownName, prefix, typeName } from "../names";
import type { Measure, Payload } from "../payload";
import { kindOfBox, THICK } from "./encode";
import type { Drawn } from "./fold";
import { depthInWords, foldAmount, foldName, foldNameWithin } from "./fold_words";
import type { LabelRoom, Place } from "./layout";
import type { Tree } from "./tree";
import { callsInWords, difference, glyph } from "./words";

interface LabelProps {
  payload: Payload;
  tree: Tree;
  box: Drawn;
  measure: Measure;
  place: Place;
  labels: LabelRoom;
}

/** Pixels a character, of the monospaced font. */
const CHARACTER = 7.3;
const BESIDE = 8;
/** A stack is so much wider than its box. */
const STACK = 5;
/** A box with a label inside needs so much room. */
const LABELLED = { width: 48, height: 15 };

export function Label(props: LabelProps) {
  const { payload, tree, box, measure, place, labels } = props;
  const kind = kindOfBox(tree.blueprint, box, measure, payload.better);
  const { width, height } = place;
  const isInside = labels.where === "inside";
  if (isInside && (width < LABELLED.width || height < LABELLED.height)) return null;
  const of = tree.blueprint.function[box.members[0]];
  const room = Math.floor((width - 8) / CHARACTER) - 2;
  const name = labelWithin(box.fold === null ? ownName(payload, of) : foldNameWithin(payload, tree, box, room), room);
  return (
    <g class="label" data-of={box.fold === null ? fullName(payload, of) : undefined} data-fold={box.fold ?? undefined} data-kind={kind} style={{ transform: `translate(${place.x}px, ${place.y}px)` }}>
      {isInside ? (
        <text class="inside" x={4} y={height / 2} dominant-baseline="central">
          {`${glyph(kind, payload.better)} ${name}`.trim()}
        </text>
      ) : (
        <Beside {...props} />
      )}
    </g>
  );
}

/** Function on the first line, numbers on the second; all on one where the tree is deep. */
function Beside({ payload, tree, box, measure, place, labels }: LabelProps) {
  const { blueprint } = tree;
  const { fold, node, hidden } = box;
  const sign = glyph(kindOfBox(blueprint, box, measure, payload.better), payload.better);
  const amount = fold === null ? difference(box.h, measure, payload.unit) : foldAmount(payload, box, measure);
  const calls = fold === null ? callsInWords(blueprint.callsBefore[node], blueprint.callsAfter[node]) : "";
  const room = Math.floor((labels.width - BESIDE - 6) / CHARACTER) - 2 - (labels.lines === 1 ? amount.length + 2 : 0);
  const folded = fold === null ? "" : foldName(payload, tree, box);
  const depth = fold === "chain" && folded.length > room ? depthInWords(box) : "";
  const [before, name] = fold === null ? pathWithin(payload, blueprint.function[node], room) : ["", folded.length <= room ? folded : foldNameWithin(payload, tree, box, room)];
  const x = place.width + THICK + BESIDE + (fold === null ? 0 : STACK);
  const middleLine = place.height / 2;
  const figures = [amount, ...(labels.lines === 2 ? [calls, depth] : [])].filter((part) => part !== "" && part !== "as many calls").join(" · ");
  return (
    <>
      <text class="name" x={x} y={labels.lines === 2 ? middleLine - 8 : middleLine} dominant-baseline="central">
        {sign !== "" && <tspan class="glyph">{`${sign} `}</tspan>}
        <tspan class="before">{before}</tspan>
        <tspan class="own">{name}</tspan>
        {labels.lines === 1 && <tspan class="figures">{`  ${amount}`}</tspan>}
      </text>
      {labels.lines === 2 && (
        <text class="figures" x={x} y={middleLine + 8} dominant-baseline="central">
          {figures}
          {hidden > 0 && <tspan class="more">{`  +${hidden} hidden`}</tspan>}
        </text>
      )}
    </>
  );
}

/** The part of a function's path that fits into a number of characters: as much of the path as has room, the ends of its type, or nothing. */
function pathWithin(payload: Payload, of: number, room: number): [before: string, own: string] {
  const own = ownName(payload, of);
  if (own.length > room) return ["", shortenPath(own, room)];
  const before = prefixWithin(prefix(payload, of), room - own.length);
  if (before !== "") return [before, own];
  const type = labelWithin(typeName(payload, of), room - own.length - 2);
  return [type === "" ? "" : `${type}::`, own];
}
