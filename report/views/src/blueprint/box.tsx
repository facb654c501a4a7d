// One box of the blueprint as SVG: its size and border say what the legend says, with its marks. What is folded looks
// like a stack.

import { fullName } from "../names";
import type { Measure, Payload } from "../payload";
import { isNoise, kindOfBox, THICK, THIN } from "./encode";
import type { Drawn } from "./fold";
import { foldInWords } from "./fold_words";
import type { LabelRoom, Place } from "./layout";
import type { Tree } from "./tree";
import { nodeInWords } from "./words";

interface BoxProps {
  payload: Payload;
  tree: Tree;
  box: Drawn;
  /** Number of boxes and hidden contexts below its caller. */
  siblings: number;
  measure: Measure;
  place: Place;
  labels: LabelRoom;
  selected: boolean;
  focused: boolean;
  hit: boolean;
}

const NOTCH = 8;
/** Pixels by which the sheets of a stack stand out. */
const SHEET = 3;

export function boxId(id: number): string {
  return `blueprint-${id}`;
}

export function Box({ payload, tree, box, siblings, measure, place, labels, selected, focused, hit }: BoxProps) {
  const { blueprint, children } = tree;
  const { id, fold, node, hidden } = box;
  const kind = kindOfBox(blueprint, box, measure, payload.better);
  const border = hidden > 0 ? THICK : THIN;
  const { width, height } = place;
  const notch = Math.min(NOTCH, Math.max(5, width), Math.max(5, height));
  const isChanged = fold === null && blueprint.changed[node] === 1;
  const isGroup = fold === "rest" || fold === "libraries";
  const canOpen = isGroup || children[box.members[box.members.length - 1]].length > 0;
  // The ring goes round the whole stack.
  const stack = fold === null ? 0 : 2 * SHEET;
  return (
    <g
      id={boxId(id)}
      class="box"
      role="treeitem"
      aria-level={box.level + 1}
      aria-posinset={box.position + 1}
      aria-setsize={siblings}
      aria-expanded={canOpen ? box.children.length > 0 : undefined}
      aria-selected={selected}
      aria-label={fold === null ? nodeInWords(payload, tree, node, measure, hidden) : foldInWords(payload, tree, box, measure)}
      tabindex={focused ? 0 : -1}
      data-node={id}
      data-fold={fold ?? undefined}
      data-members={fold === null ? undefined : box.members.length}
      data-name={fold === null || fold === "chain" ? fullName(payload, blueprint.function[box.members[0]]) : undefined}
      data-kind={kind}
      data-h={box.h}
      data-w={box.w}
      data-width={width}
      data-height={height}
      data-border={border}
      data-changed={isChanged ? 1 : 0}
      data-noise={(fold === null ? isNoise(blueprint, node, measure) : box.quiet) ? 1 : 0}
      data-hit={hit ? 1 : 0}
      style={{ transform: `translate(${place.x}px, ${place.y}px)` }}
    >
      <rect class="reach" x={-THICK} y={place.top - place.y} width={width + 2 * THICK + labels.width} height={place.bottom - place.top} />
      <rect class="ring" x={-THICK - 3} y={-THICK - 3} width={width + 2 * THICK + 6 + stack} height={height + 2 * THICK + 6 + stack} rx="2" />
      {fold !== null && <path class="stack" d={sheet(2 * SHEET, width, height) + sheet(SHEET, width, height)} />}
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
      {isChanged && <path class="notch" d={`M${width - notch},0H${width}V${notch}Z`} />}
    </g>
  );
}

/** The edges of a sheet that stands out below a box. */
function sheet(by: number, width: number, height: number): string {
  return `M${by},${height + by - SHEET}V${height + by}H${width + by}V${by}H${width + by - SHEET}`;
}
