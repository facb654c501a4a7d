// One node of the blueprint as SVG: a box whose size and border say what the legend says, marks, and a label if there is room.

import { middle, shortenPath } from "../format";
import { ownName, typeName } from "../names";
import type { Measure, Payload } from "../payload";
import { type BoxKind, isNoise, kindOf, THICK, THIN } from "./encode";
import type { LabelRoom, Place } from "./layout";
import { hasHidden, hasShown, type Shown, type Tree } from "./tree";
import { callsInWords, difference, GLYPHS, nodeInWords } from "./words";

interface BoxProps {
  payload: Payload;
  tree: Tree;
  shown: Shown;
  node: number;
  measure: Measure;
  place: Place;
  labels: LabelRoom;
  selected: boolean;
  focused: boolean;
  hit: boolean;
}

/** Of the monospaced label font. */
const CHARACTER = 7.3;
const BESIDE = 8;
const NOTCH = 8;
/** A box with a label inside needs so much room. */
const LABELLED = { width: 48, height: 15 };

export function nodeId(node: number): string {
  return `blueprint-${node}`;
}

export function Box({ payload, tree, shown, node, measure, place, labels, selected, focused, hit }: BoxProps) {
  const { blueprint, children, depth } = tree;
  const kind = kindOf(blueprint, node, measure, payload.better);
  const hidden = children[node].filter((child) => !shown.has(child)).length;
  const border = hasHidden(tree, shown, node) ? THICK : THIN;
  const siblings = node === 0 ? [0] : children[blueprint.parent[node]];
  const { width, height } = place;
  const notch = Math.min(NOTCH, Math.max(5, width), Math.max(5, height));
  return (
    <g
      id={nodeId(node)}
      class="box"
      role="treeitem"
      aria-level={depth[node] + 1}
      aria-posinset={siblings.indexOf(node) + 1}
      aria-setsize={siblings.length}
      aria-expanded={children[node].length === 0 ? undefined : hasShown(tree, shown, node)}
      aria-selected={selected}
      aria-label={nodeInWords(payload, tree, node, measure, hidden)}
      tabIndex={focused ? 0 : -1}
      data-node={node}
      data-name={payload.strings[payload.functions.name[blueprint.function[node]]]}
      data-kind={kind}
      data-h={blueprint.h[measure][node]}
      data-w={blueprint.w[node]}
      data-width={width}
      data-height={height}
      data-border={border}
      data-changed={blueprint.changed[node]}
      data-noise={isNoise(blueprint, node, measure) ? 1 : 0}
      data-hit={hit ? 1 : 0}
      style={{ transform: `translate(${place.x}px, ${place.y}px)` }}
    >
      <rect class="reach" x={-THICK} y={Math.min(-THICK, (height - 30) / 2)} width={width + 2 * THICK + labels.width} height={Math.max(height + 2 * THICK, 30)} />
      <rect class="ring" x={-THICK - 3} y={-THICK - 3} width={width + 2 * THICK + 6} height={height + 2 * THICK + 6} rx="2" />
      <rect class="fill" width={width} height={height} />
      <rect
        class="border"
        x={-border / 2}
        y={-border / 2}
        width={width + border}
        height={height + border}
        stroke-width={border}
        stroke-dasharray={kind === "removed" ? (border === THICK ? "6 3" : "3 2") : undefined}
      />
      {blueprint.changed[node] === 1 && <path class="notch" d={`M${width - notch},0H${width}V${notch}Z`} />}
      {labels.where === "beside" ? (
        <Beside payload={payload} tree={tree} node={node} measure={measure} kind={kind} place={place} labels={labels} hidden={hidden} />
      ) : (
        width >= LABELLED.width &&
        height >= LABELLED.height && (
          <text class="inside" x={4} y={height / 2} dominant-baseline="central">
            {`${GLYPHS[kind]} ${middle(ownName(payload, blueprint.function[node]), Math.floor((width - 8) / CHARACTER) - 2)}`.trim()}
          </text>
        )
      )}
    </g>
  );
}

type BesideProps = Pick<BoxProps, "payload" | "tree" | "node" | "measure" | "place" | "labels"> & { kind: BoxKind; hidden: number };

/** Function on the first line, numbers on the second; all on one where the tree is deep. */
function Beside({ payload, tree, node, measure, kind, place, labels, hidden }: BesideProps) {
  const { blueprint } = tree;
  const of = blueprint.function[node];
  const own = ownName(payload, of);
  const type = typeName(payload, of);
  const glyph = GLYPHS[kind];
  const amount = difference(blueprint.h[measure][node], measure, payload.unit);
  const calls = callsInWords(blueprint.callsBefore[node], blueprint.callsAfter[node]);
  const more = hidden > 0 ? `+${hidden} hidden` : "";
  const room = Math.floor((labels.width - BESIDE - 6) / CHARACTER) - 2 - (labels.lines === 1 ? amount.length + 2 : 0);
  const [before, name] = type !== "" && own.length + 4 <= room ? [`${middle(type, Math.max(2, room - own.length - 2))}::`, own] : ["", shortenPath(own, room)];
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
          {more !== "" && <tspan class="more">{`  ${more}`}</tspan>}
        </text>
      )}
    </>
  );
}
