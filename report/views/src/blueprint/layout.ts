// Where the shown boxes stand: callers above what they call (B1), labels to the right of boxes while there is room.
// The tidy tree of boxes of different size is d3-flextree's.

import { flextree } from "d3-flextree";
import { heightOf, type Scale, THICK, widthOf } from "./encode";
import type { Drawing, Drawn } from "./fold";

/** Pixels, at a zoom of 1. `x`, `y`: of the box's upper left corner, border outside. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Where the row of the box with its label begins and ends. */
  top: number;
  bottom: number;
}

export interface Layout {
  /** By the number of a box. */
  places: Map<number, Place>;
  width: number;
  height: number;
  labels: LabelRoom;
}

/** How labels are written: beside each box on two lines, on one, or only inside boxes that have room. */
export interface LabelRoom {
  where: "beside" | "inside";
  lines: 1 | 2;
  /** Pixels beside a box. */
  width: number;
}

/** With more boxes, labels beside them would leave no picture. */
const MOST_LABELLED = 80;
/** Deeper trees have labels of one line, so that a long path still fits the window. */
const DEEP = 9;
const BETWEEN_SIBLINGS = 14;
const MARGIN = 24;

export function layout({ boxes: drawn }: Drawing, scale: Scale): Layout {
  const labels = labelRoom(drawn.map(({ level }) => level));
  const row = labels.where === "inside" ? 0 : labels.lines === 1 ? 17 : 31;
  const betweenRows = labels.where === "inside" ? 26 : labels.lines === 1 ? 8 : 13;

  const rowHeight = (box: Drawn) => Math.max(heightOf(box, scale) + 2 * THICK, row);
  const arrange = flextree<Drawn>({
    children: ({ children }) => children,
    nodeSize: ({ data }) => [widthOf(data, scale) + 2 * THICK + labels.width, rowHeight(data) + betweenRows],
    spacing: BETWEEN_SIBLINGS,
  });
  const root = arrange(arrange.hierarchy(drawn[0]));

  const places = new Map<number, Place>();
  let left = Infinity;
  let right = -Infinity;
  let bottom = 0;
  root.each((arranged) => {
    const width = widthOf(arranged.data, scale);
    const height = heightOf(arranged.data, scale);
    // The room for labels is the same for all, so boxes of one column share their middle.
    const x = arranged.x - (width + labels.width) / 2;
    const y = arranged.y + (rowHeight(arranged.data) - height) / 2;
    const bottomOfRow = arranged.y + rowHeight(arranged.data);
    places.set(arranged.data.id, { x, y, width, height, top: arranged.y, bottom: bottomOfRow });
    left = Math.min(left, x - THICK);
    right = Math.max(right, x + width + THICK + labels.width);
    bottom = Math.max(bottom, bottomOfRow);
  });
  for (const place of places.values()) {
    place.x += MARGIN - left;
    place.y += MARGIN;
    place.top += MARGIN;
    place.bottom += MARGIN;
  }
  return { places, width: right - left + 2 * MARGIN, height: bottom + 2 * MARGIN, labels };
}

/** `depths` of the boxes. A path alone has room for whole names. */
function labelRoom(depths: number[]): LabelRoom {
  if (depths.length > MOST_LABELLED) return { where: "inside", lines: 1, width: 0 };
  const deepest = Math.max(...depths);
  const isPath = deepest + 1 === depths.length;
  if (deepest >= DEEP) return { where: "beside", lines: 1, width: isPath ? 560 : 300 };
  return { where: "beside", lines: 2, width: isPath ? 460 : 216 };
}

/** A line from a caller's foot to the head of what it calls; it bends between their rows, clear of the labels. */
export function edge(caller: Place, callee: Place): string {
  const from = caller.x + caller.width / 2;
  const to = callee.x + callee.width / 2;
  const middle = (caller.bottom + callee.top) / 2;
  return `M${from},${caller.y + caller.height}V${caller.bottom}C${from},${middle} ${to},${middle} ${to},${callee.top}V${callee.y}`;
}
