// Drawings are drawn with a pen: the members of a canvas's context that they need, so that one drawing becomes pixels or
// an SVG. No image is loaded for either, so the page's policy needs no `img-src`.

type Used =
  | "save"
  | "restore"
  | "transform"
  | "fillRect"
  | "strokeRect"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "fill"
  | "fillText"
  | "strokeText"
  | "setLineDash"
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "globalAlpha"
  | "font"
  | "textBaseline";

/** As of a canvas. */
export type Context = Pick<CanvasRenderingContext2D, Used>;

/** `path` is that of an SVG's attribute `d`. */
export interface Pen extends Context {
  fillPath(path: string): void;
  strokePath(path: string): void;
}

let ruler: CanvasRenderingContext2D | null = null;

/** Pixels. */
export function textWidth(text: string, font: string): number {
  ruler ??= document.createElement("canvas").getContext("2d")!;
  ruler.font = font;
  return ruler.measureText(text).width;
}

export function canvasPen(context: CanvasRenderingContext2D): Pen {
  return Object.assign(context, {
    fillPath: (path: string) => context.fill(new Path2D(path)),
    strokePath: (path: string) => context.stroke(new Path2D(path)),
  });
}
