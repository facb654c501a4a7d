// One node of the blueprint as SVG: a box whose size and border say what the legend says, with its marks.

import { fullName } from "../names";
import type { Measure, Payload } from "../payload";
import { isNoise, kindOf, THICK, THIN } from "./encode";
import type { LabelRoom, Place } from "./layout";
import { hasHidden, hasShown, type Shown, type Tree } from "./tree";
import { nodeInWords } from "./words";

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

const NOTCH = 8;

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
      tabindex={focused ? 0 : -1}
      data-node={node}
      data-name={fullName(payload, blueprint.function[node])}
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
      <rect class="reach" x={-THICK} y={place.top - place.y} width={width + 2 * THICK + labels.width} height={place.bottom - place.top} />
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
    </g>
  );
}
