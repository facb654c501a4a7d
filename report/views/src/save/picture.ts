// A drawing as a file: on a ground, below a line that says what it is. Whole, not only the part in sight.

import type { ComponentChild } from "preact";
import { integer } from "../format";
import { drawElement, paint, staged } from "./elements";
import { canvasPen, type Pen, textWidth } from "./pen";
import { SvgPen } from "./svg_pen";

export interface Picture {
  /** Pixels, at a zoom of 1. */
  width: number;
  height: number;
  draw: (pen: Pen) => void;
}

const MARGIN = 16;
const TITLE = { font: "600 13px system-ui, sans-serif", height: 28 };

/** A PNG has two pixels for each of the drawing's, unless that is too many: browsers refuse larger canvases. */
const SHARP = 2;
export const MOST_PIXELS = 16_000_000;
const LONGEST_SIDE = 16_000;

/** A picture with its title, on the page's ground. */
export function titled({ width, height, draw }: Picture, title: string): Picture {
  const page = getComputedStyle(document.body);
  const whole = {
    width: Math.ceil(Math.max(width, textWidth(title, TITLE.font))) + 2 * MARGIN,
    height: Math.ceil(height) + TITLE.height + 2 * MARGIN,
  };
  return {
    ...whole,
    draw: (pen) => {
      pen.fillStyle = paint(page.backgroundColor)?.color ?? "#ffffff";
      pen.fillRect(0, 0, whole.width, whole.height);
      pen.font = TITLE.font;
      pen.textBaseline = "middle";
      pen.fillStyle = paint(page.color)?.color ?? "#000000";
      pen.fillText(title, MARGIN, MARGIN + TITLE.height / 2 - 4);
      pen.save();
      pen.transform(1, 0, 0, 1, MARGIN, MARGIN + TITLE.height);
      draw(pen);
      pen.restore();
    },
  };
}

/** Elements as the page lays them out, as wide as they want to be, or `width` pixels. */
export function pictureOf(className: string, content: () => ComponentChild | Element, width?: number): Picture {
  const size = staged(className, content(), ({ scrollWidth, scrollHeight }) => ({ width: scrollWidth, height: scrollHeight }), width);
  return { ...size, draw: (pen) => staged(className, content(), (host) => drawElement(pen, host), width) };
}

/** Pictures below each other. */
export function stacked(pictures: Picture[], gap = 12): Picture {
  return {
    width: Math.max(0, ...pictures.map(({ width }) => width)),
    height: pictures.reduce((sum, { height }) => sum + height, 0) + gap * Math.max(0, pictures.length - 1),
    draw: (pen) => {
      let top = 0;
      for (const each of pictures) {
        pen.save();
        pen.transform(1, 0, 0, 1, 0, top);
        each.draw(pen);
        pen.restore();
        top += each.height + gap;
      }
    },
  };
}

export function svg({ width, height, draw }: Picture, title: string): string {
  const pen = new SvgPen();
  draw(pen);
  return pen.document(width, height, title);
}

/** `scale`: pixels for each of the drawing's. */
export async function png({ width, height, draw }: Picture): Promise<{ blob: Blob; scale: number }> {
  const scale = Math.min(SHARP, Math.sqrt(MOST_PIXELS / (width * height)), LONGEST_SIDE / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(width * scale));
  canvas.height = Math.max(1, Math.floor(height * scale));
  const context = canvas.getContext("2d");
  if (context === null) throw new Error(`no canvas of ${integer(canvas.width)} × ${integer(canvas.height)} pixels`);
  context.scale(scale, scale);
  draw(canvasPen(context));
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob === null) throw new Error(`the browser made no PNG of ${integer(canvas.width)} × ${integer(canvas.height)} pixels`);
  return { blob, scale };
}
