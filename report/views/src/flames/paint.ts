// Draws one graph on a canvas no larger than the window: frames too narrow or out of sight are left out with all above
// them, rectangles are drawn colour by colour, on whole pixels.

import { LEAST_LABEL, middle, prefixWithin } from "../format";
import type { Frames } from "./frames";
import { type FrameKind, kind, STEPS } from "./graphs";
import type { Ramp } from "./ramp";
import type { Context } from "../save/pen";

/** Height of a row, gap included. */
export const ROW = 18;
/** A frame's right and upper neighbours begin so far from it. */
const GAP = 1;
/** Narrower frames have no label, and narrower than `LEAST` are not drawn. */
const LABELLED = 20;
const LEAST = 0.5;
const PADDING = 3;
/** While a zoom moves, only labels of this width are worth their time. */
const LABELLED_IN_MOTION = 90;
const NOTCH = 6;

/** Part of a graph in sight: `from` and `to` as fractions of its width, `bottom` in pixels above the root's foot. */
export interface Window {
  from: number;
  to: number;
  bottom: number;
}

export interface Scene {
  frames: Frames;
  left: Float64Array;
  width: Float64Array;
  /** Steps of colour, multiplied with `sign` (D4). */
  step: Int8Array;
  sign: 1 | -1;
  /** 1 where the function's source differs. By function. */
  changed: Uint8Array;
  /** Matches of a search, if there is one. */
  matches: Uint8Array | null;
  /** By function: the part before the function's own name, and that name. */
  prefix: string[];
  label: string[];
}

export interface Style {
  ramp: Ramp;
  sunk: Ramp;
  ground: string;
  /** Round frames without a difference. */
  edge: string;
  accent: string;
  /** A monospaced font: one character is `advance` pixels wide. */
  font: string;
  strong: string;
  advance: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where a frame is in pixels, or null where it is too narrow. Not clipped to the canvas. */
export function place(scene: Scene, frame: number, view: Window, width: number, height: number): Box | null {
  const scale = width / (view.to - view.from);
  const left = (scene.left[frame] - view.from) * scale;
  const wide = scene.width[frame] * scale;
  if (!(wide >= LEAST)) return null;
  return snapped(left, wide, scene.frames.depth[frame], view, height);
}

function snapped(left: number, wide: number, depth: number, view: Window, height: number): Box {
  const x = Math.round(left);
  const right = Math.round(left + wide);
  const gap = right - x > 2 ? GAP : 0;
  return { x, y: height + view.bottom - (depth + 1) * ROW + GAP, width: Math.max(1, right - x - gap), height: ROW - GAP };
}

/** The frame under a point, -1 where there is none. */
export function frameAt(scene: Scene, x: number, y: number, view: Window, width: number, height: number): number {
  const depth = Math.floor((height + view.bottom - y) / ROW);
  const at = view.from + (x / width) * (view.to - view.from);
  const { frames } = scene;
  let frame = 0;
  while (frame < frames.count) {
    if (at < scene.left[frame] || at >= scene.left[frame] + scene.width[frame] || frames.depth[frame] > depth) {
      frame = frames.end[frame];
    } else if (frames.depth[frame] === depth) {
      return scene.width[frame] * (width / (view.to - view.from)) >= LEAST ? frame : -1;
    } else {
      frame++;
    }
  }
  return -1;
}

/** Reused by every drawing, so that a moving zoom makes no garbage. */
export class Pencil {
  private frame = new Int32Array(4096);
  private x = new Int32Array(4096);
  private w = new Int32Array(4096);
  private order = new Int32Array(4096);
  /** Swatches: the ramp, then the sunk one. */
  private readonly begin = new Int32Array(2 * (2 * STEPS + 1) + 1);

  /** Returns how many frames it drew. `width` and `height` in CSS pixels; the context is scaled already. */
  draw(context: Context, scene: Scene, style: Style, view: Window, width: number, height: number, moving: boolean): number {
    context.fillStyle = style.ground;
    context.fillRect(0, 0, width, height);
    const count = this.collect(scene, view, width, height);
    this.sortByColour(scene, count);
    const top = (frame: number) => height + view.bottom - (scene.frames.depth[frame] + 1) * ROW + GAP;
    this.fill(context, style, top);
    this.marks(context, scene, style, count, top);
    this.labels(context, scene, style, count, top, moving ? LABELLED_IN_MOTION : LABELLED, width);
    return count;
  }

  private collect(scene: Scene, view: Window, width: number, height: number): number {
    const { frames, left, width: wide } = scene;
    const scale = width / (view.to - view.from);
    const least = LEAST / scale;
    const lowest = Math.floor(view.bottom / ROW);
    const highest = Math.floor((view.bottom + height) / ROW);
    let count = 0;
    let frame = 0;
    while (frame < frames.count) {
      const begins = left[frame];
      const depth = frames.depth[frame];
      if (wide[frame] < least || begins >= view.to || begins + wide[frame] <= view.from || depth > highest) {
        frame = frames.end[frame];
        continue;
      }
      if (depth >= lowest) {
        if (count === this.frame.length) this.grow();
        // Clipped, because a frame zoomed into is wider than a canvas can count.
        const x = Math.max(-8, Math.round((begins - view.from) * scale));
        const right = Math.min(width + 8, Math.round((begins + wide[frame] - view.from) * scale));
        this.frame[count] = frame;
        this.x[count] = x;
        this.w[count] = Math.max(1, right - x - (right - x > 2 ? GAP : 0));
        count++;
      }
      frame++;
    }
    return count;
  }

  private grow(): void {
    const larger = (old: Int32Array) => {
      const made = new Int32Array(old.length * 2);
      made.set(old);
      return made;
    };
    this.frame = larger(this.frame);
    this.x = larger(this.x);
    this.w = larger(this.w);
    this.order = larger(this.order);
  }

  /** Counting sort: one change of the fill style a colour, and few colours. */
  private sortByColour(scene: Scene, count: number): void {
    const { begin, order } = this;
    begin.fill(0);
    for (let at = 0; at < count; at++) begin[swatch(scene, this.frame[at]) + 1]++;
    for (let colour = 1; colour < begin.length; colour++) begin[colour] += begin[colour - 1];
    const next = begin.slice();
    for (let at = 0; at < count; at++) order[next[swatch(scene, this.frame[at])]++] = at;
  }

  private fill(context: Context, style: Style, top: (frame: number) => number): void {
    const colours = [...style.ramp, ...style.sunk];
    for (let colour = 0; colour < colours.length; colour++) {
      const end = this.begin[colour + 1];
      let at = this.begin[colour];
      if (at === end) continue;
      // Frames without a difference are nearly as light as the ground: an edge tells them from it.
      const edge = colour % style.ramp.length === STEPS ? 1 : 0;
      if (edge > 0) {
        context.fillStyle = style.edge;
        for (let each = at; each < end; each++) {
          const drawn = this.order[each];
          context.fillRect(this.x[drawn], top(this.frame[drawn]), this.w[drawn], ROW - GAP);
        }
      }
      context.fillStyle = colours[colour].fill;
      for (; at < end; at++) {
        const drawn = this.order[at];
        if (this.w[drawn] > 2 * edge) {
          context.fillRect(this.x[drawn] + edge, top(this.frame[drawn]) + edge, this.w[drawn] - 2 * edge, ROW - GAP - 2 * edge);
        }
      }
    }
  }

  /** Corner notches of changed sources, dashes round removed frames, a bar under what a search matches. */
  private marks(context: Context, scene: Scene, style: Style, count: number, top: (frame: number) => number): void {
    const colours = [...style.ramp, ...style.sunk];
    for (let at = 0; at < count; at++) {
      const frame = this.frame[at];
      const wide = this.w[at];
      if (wide < NOTCH) continue;
      const isChanged = scene.changed[scene.frames.function[frame]] === 1;
      const isRemoved = wide >= 2 * NOTCH && kind(scene.frames, frame) === "removed";
      const isMatch = scene.matches?.[frame] === 1;
      if (!isChanged && !isRemoved && !isMatch) continue;
      const y = top(frame);
      const x = this.x[at];
      context.fillStyle = colours[swatch(scene, frame)].text;
      if (isChanged) {
        context.beginPath();
        context.moveTo(x + wide - NOTCH, y);
        context.lineTo(x + wide, y);
        context.lineTo(x + wide, y + NOTCH);
        context.fill();
      }
      if (isRemoved) {
        context.strokeStyle = context.fillStyle;
        context.setLineDash([3, 2]);
        context.strokeRect(x + 0.5, y + 0.5, wide - 1, ROW - GAP - 1);
        context.setLineDash([]);
      }
      if (isMatch) {
        context.fillStyle = style.accent;
        context.fillRect(x, y + ROW - GAP - 3, wide, 3);
      }
    }
  }

  private labels(context: Context, scene: Scene, style: Style, count: number, top: (frame: number) => number, least: number, width: number): void {
    const colours = [...style.ramp, ...style.sunk];
    context.textBaseline = "middle";
    // Names in bold first, then what stands before them: a font is dear to change.
    for (const strong of [true, false]) {
      context.font = strong ? style.strong : style.font;
      let colour = "";
      for (let at = 0; at < count; at++) {
        const x = Math.max(0, this.x[at]);
        const wide = Math.min(width, this.x[at] + this.w[at]) - x;
        if (wide < least) continue;
        const frame = this.frame[at];
        const [prefix, name] = label(scene, frame, Math.floor((wide - 2 * PADDING) / style.advance));
        const text = strong ? name : prefix;
        if (text === "") continue;
        const wanted = colours[swatch(scene, frame)].text;
        if (wanted !== colour) context.fillStyle = colour = wanted;
        context.fillText(text, x + PADDING + (strong ? prefix.length * style.advance : 0), top(frame) + (ROW - GAP) / 2 + 0.5);
      }
    }
  }
}

function swatch(scene: Scene, frame: number): number {
  const colour = STEPS + scene.sign * scene.step[frame];
  return scene.matches !== null && scene.matches[frame] === 0 ? colour + 2 * STEPS + 1 : colour;
}

const GLYPH: Record<FrameKind, string> = { both: "", new: "+ ", removed: "− " };

/** With less room, the beginning of a name says more than both of its ends. */
const BOTH_ENDS = 10;

/** The label that fits into a number of characters: glyph, what has room of the path, and name; else the name's ends, or its beginning. */
function label(scene: Scene, frame: number, room: number): [prefix: string, name: string] {
  const of = scene.frames.function[frame];
  const name = scene.label[of];
  const glyph = GLYPH[kind(scene.frames, frame)];
  const left = room - glyph.length;
  if (name.length <= left) return [glyph + prefixWithin(scene.prefix[of], left - name.length), name];
  if (left >= BOTH_ENDS) return [glyph, middle(name, left)];
  // A short name says more than the glyph.
  if (name.length <= room) return ["", name];
  return left >= LEAST_LABEL ? [glyph, `${name.slice(0, left - 1)}…`] : ["", ""];
}
