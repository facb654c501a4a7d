// The label of a box: beside it, or inside if it has room. Readers of the tree hear more than that, so it is hidden from them.

import { middle, shortenPath } from "../format";
import { fullName, ownName, prefix, typeName } from "../names";
import type { Measure, Payload } from "../payload";
import { kindOf, THICK } from "./encode";
import type { LabelRoom, Place } from "./layout";
import type { Shown, Tree } from "./tree";
import { callsInWords, difference, GLYPHS } from "./words";

interface LabelProps {
  payload: Payload;
  tree: Tree;
  shown: Shown;
  node: number;
  measure: Measure;
  place: Place;
  labels: LabelRoom;
}

/** Pixels a character, of the monospaced font. */
const CHARACTER = 7.3;
const BESIDE = 8;
/** A box with a label inside needs so much room. */
const LABELLED = { width: 48, height: 15 };

export function Label(props: LabelProps) {
  const { payload, tree, node, measure, place, labels } = props;
  const kind = kindOf(tree.blueprint, node, measure, payload.better);
  const { width, height } = place;
  const isInside = labels.where === "inside";
  if (isInside && (width < LABELLED.width || height < LABELLED.height)) return null;
  const name = ownName(payload, tree.blueprint.function[node]);
  return (
    <g class="label" data-of={fullName(payload, tree.blueprint.function[node])} data-kind={kind} style={{ transform: `translate(${place.x}px, ${place.y}px)` }}>
      {isInside ? (
        <text class="inside" x={4} y={height / 2} dominant-baseline="central">
          {`${GLYPHS[kind]} ${middle(name, Math.floor((width - 8) / CHARACTER) - 2)}`.trim()}
        </text>
      ) : (
        <Beside {...props} />
      )}
    </g>
  );
}

/** Function on the first line, numbers on the second; all on one where the tree is deep. */
function Beside({ payload, tree, shown, node, measure, place, labels }: LabelProps) {
  const { blueprint, children } = tree;
  const of = blueprint.function[node];
  const glyph = GLYPHS[kindOf(blueprint, node, measure, payload.better)];
  const amount = difference(blueprint.h[measure][node], measure, payload.unit);
  const calls = callsInWords(blueprint.callsBefore[node], blueprint.callsAfter[node]);
  const hidden = children[node].filter((child) => !shown.has(child)).length;
  const room = Math.floor((labels.width - BESIDE - 6) / CHARACTER) - 2 - (labels.lines === 1 ? amount.length + 2 : 0);
  const [before, name] = pathWithin(payload, of, room);
  const x = place.width + THICK + BESIDE;
  const middleLine = place.height / 2;
  const figures = [amount, ...(labels.lines === 2 ? [calls] : [])].filter((part) => part !== "" && part !== "as many calls").join(" · ");
  return (
    <>
      <text class="name" x={x} y={labels.lines === 2 ? middleLine - 8 : middleLine} dominant-baseline="central">
        {glyph !== "" && <tspan class="glyph">{`${glyph} `}</tspan>}
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

/** The part of a function's path that fits into a number of characters: the whole path, its type, the ends of its type, or nothing. */
function pathWithin(payload: Payload, of: number, room: number): [before: string, own: string] {
  const own = ownName(payload, of);
  const whole = prefix(payload, of);
  if (whole.length + own.length <= room) return [whole, own];
  const type = typeName(payload, of);
  if (type !== "" && own.length + 4 <= room) return [`${middle(type, room - own.length - 2)}::`, own];
  return ["", shortenPath(own, room)];
}
