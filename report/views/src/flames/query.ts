// `window.lito.flames`: what the canvases show, for tests and for those who want to script the page.

import type { Frames } from "./frames";
import { type FrameKind, type GraphName, kind, type GraphSet, STEPS, tone, value } from "./graphs";
import type { Names } from "./names";
import type { Ramp } from "./ramp";
import type { Stage } from "./stage";

export interface ShownFrame {
  /** Pixels from the canvas's upper left corner. */
  x: number;
  y: number;
  width: number;
  height: number;
  value: number;
  color: string;
  /** Steps of colour: 0 unchanged, up to 8 grown, down to -8 reduced. */
  step: number;
  kind: FrameKind;
  changed: boolean;
}

export interface Query {
  /** `path`: full names from the root on. null where the graph does not show it. */
  frame(graph: GraphName, path: string[]): ShownFrame | null;
  /** Paths, or null. */
  readonly hovered: string[] | null;
  readonly focused: string[] | null;
  readonly selected: string[][];
  readonly zoom: string[];
  readonly matches: number | null;
  readonly frames: number;
  /** Milliseconds since the page was opened until the graphs stood. */
  readonly drawnAfter: number;
}

declare global {
  interface Window {
    lito?: { flames?: Query };
  }
}

export function shownFrame(frames: Frames, set: GraphSet, names: Names, ramp: Ramp, stage: Stage, graph: GraphName, path: string[]): ShownFrame | null {
  const frame = find(frames, names, path);
  const box = frame < 0 ? null : stage.place(frame);
  if (box === null) return null;
  const step = tone(set, graph, frame);
  return {
    ...box,
    value: value(frames, set, graph, frame),
    color: ramp[STEPS + step].fill,
    step,
    kind: kind(frames, frame),
    changed: names.changed[frames.function[frame]] === 1,
  };
}

function find(frames: Frames, names: Names, path: string[]): number {
  if (names.full[frames.function[0]] !== path[0]) return -1;
  let frame = 0;
  for (const name of path.slice(1)) {
    let child = frame + 1;
    while (child < frames.end[frame] && names.full[frames.function[child]] !== name) child = frames.end[child];
    if (child >= frames.end[frame]) return -1;
    frame = child;
  }
  return frame;
}
