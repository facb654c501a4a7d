// The boxes in sight with their edges and labels. Made apart from what floats above them, so that moving a tooltip does
// not draw a thousand boxes again.

import type { ComponentChild } from "preact";
import type { Measure, Payload } from "../payload";
import { Box } from "./box";
import { Label } from "./label";
import { edge, type Layout, type Place } from "./layout";
import { inOrder, pathTo, type Shown, type Tree } from "./tree";

/** The scrolled-to area of the picture, in pixels. */
export interface Sight {
  left: number;
  top: number;
  width: number;
  height: number;
}

interface PictureProps {
  payload: Payload;
  tree: Tree;
  shown: Shown;
  measure: Measure;
  laid: Layout;
  zoom: number;
  /** Pixels left of a picture narrower than its window. */
  sideways: number;
  sight: Sight;
  /** These nodes are marked; the focused one is there even out of sight. */
  focus: number;
  selected: number;
  matches: number[];
}

/** Boxes so far outside of what is in sight are kept, so that scrolling shows them at once. */
const AHEAD = 400;

export function picture(props: PictureProps): Record<"edges" | "boxes" | "labels", ComponentChild> {
  const { payload, tree, shown, measure, laid, focus, selected } = props;
  const order = inOrder(shown);
  const drawn = order.filter((node) => node === focus || isInSight(props, laid.places.get(node)!));
  const hot = new Set(pathTo(tree, tree.blueprint.hot));
  const hits = new Set(props.matches);
  const common = { payload, tree, shown, measure, labels: laid.labels };
  return {
    edges: (
      <g class="edges" aria-hidden="true">
        {order.map((node) => {
          const caller = laid.places.get(tree.blueprint.parent[node]);
          const callee = laid.places.get(node)!;
          if (!caller || !(isInSight(props, caller) || isInSight(props, callee))) return null;
          return <path key={node} d={edge(caller, callee)} data-hot={hot.has(node) ? 1 : 0} />;
        })}
      </g>
    ),
    boxes: (
      <>
        {drawn.map((node) => (
          <Box key={node} {...common} node={node} place={laid.places.get(node)!} selected={node === selected} focused={node === focus} hit={hits.has(node)} />
        ))}
      </>
    ),
    labels: (
      <g class="labels" aria-hidden="true">
        {drawn.map((node) => (
          <Label key={node} {...common} node={node} place={laid.places.get(node)!} />
        ))}
      </g>
    ),
  };
}

function isInSight({ laid, zoom, sideways, sight }: PictureProps, { x, y, width, height }: Place): boolean {
  return (
    (x + width + laid.labels.width) * zoom + sideways > sight.left - AHEAD &&
    x * zoom + sideways < sight.left + sight.width + AHEAD &&
    (y + height) * zoom > sight.top - AHEAD &&
    y * zoom < sight.top + sight.height + AHEAD
  );
}
