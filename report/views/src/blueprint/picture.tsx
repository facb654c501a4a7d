// The boxes in sight with their edges and labels. Made apart from what floats above them, so that moving a tooltip does
// not draw a thousand boxes again.

import type { ComponentChild } from "preact";
import type { Measure, Payload } from "../payload";
import { Box } from "./box";
import { Label } from "./label";
import type { Drawing, Drawn } from "./fold";
import { edge, type Layout, type Place } from "./layout";
import type { Sight } from "./scroll";
import { pathTo, type Tree } from "./tree";

export interface PictureProps {
  payload: Payload;
  tree: Tree;
  drawing: Drawing;
  measure: Measure;
  laid: Layout;
  zoom: number;
  /** Pixels left of a picture narrower than its window. */
  sideways: number;
  sight: Sight;
  /** The box of this number is there even out of sight. */
  focus: number;
  /** These contexts are marked. */
  selected: number;
  matches: number[];
}

/** Boxes so far outside of what is in sight are kept, so that scrolling shows them at once. */
const AHEAD = 400;

export function picture(props: PictureProps): Record<"edges" | "boxes" | "labels", ComponentChild> {
  const { payload, tree, drawing, measure, laid, focus, selected } = props;
  const seen = drawing.boxes.filter(({ id }) => id === focus || isInSight(props, laid.places.get(id)!));
  const hot = new Set(pathTo(tree, tree.blueprint.hot));
  const hits = new Set(props.matches);
  const common = { payload, tree, measure, labels: laid.labels };
  const isAny = ({ members }: Drawn, marked: ReadonlySet<number>) => marked.size > 0 && members.some((node) => marked.has(node));
  return {
    edges: (
      <g class="edges" aria-hidden="true">
        {drawing.boxes.map((box) => {
          const caller = laid.places.get(box.parent);
          const callee = laid.places.get(box.id)!;
          if (!caller || !(isInSight(props, caller) || isInSight(props, callee))) return null;
          return <path key={box.id} d={edge(caller, callee)} data-hot={isAny(box, hot) ? 1 : 0} />;
        })}
      </g>
    ),
    boxes: (
      <>
        {seen.map((box) => {
          const above = drawing.byId.get(box.parent);
          const siblings = above === undefined ? 1 : above.children.length + above.hidden;
          const marks = { selected: box.members.includes(selected), focused: box.id === focus, hit: isAny(box, hits) };
          return <Box key={box.id} {...common} {...marks} box={box} siblings={siblings} place={laid.places.get(box.id)!} />;
        })}
      </>
    ),
    labels: (
      <g class="labels" aria-hidden="true">
        {seen.map((box) => (
          <Label key={box.id} {...common} box={box} place={laid.places.get(box.id)!} />
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
