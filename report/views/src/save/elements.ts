// Elements as the browser laid them out, drawn again with a pen: boxes, borders, texts and the shapes of SVG in their computed
// colours. Canvases are left out: their views draw them.

import { type ComponentChild, render } from "preact";
import type { Pen } from "./pen";

/**
 * Puts something on the page for as long as it is drawn, whole, whatever is in sight of it elsewhere. The browser shows
 * nothing of that. `className`: of the parts that the style sheet looks for around it.
 */
export function staged<T>(className: string, content: ComponentChild | Element, use: (host: HTMLElement) => T, width?: number): T {
  const host = document.createElement("div");
  host.className = `staged ${className}`;
  if (width !== undefined) host.style.width = `${width}px`;
  document.body.append(host);
  const isElement = content instanceof Element;
  if (isElement) host.append(content);
  else render(content, host);
  try {
    return use(host);
  } finally {
    if (!isElement) render(null, host);
    host.remove();
  }
}

/** With its upper left corner at the pen's origin. */
export function drawElement(pen: Pen, root: Element): void {
  const { left, top } = root.getBoundingClientRect();
  pen.save();
  pen.transform(1, 0, 0, 1, -left, -top);
  draw(pen, root, 1);
  pen.restore();
}

function draw(pen: Pen, element: Element, above: number): void {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || element.classList.contains("spoken")) return;
  const alpha = above * Number(style.opacity);
  if (alpha === 0) return;
  if (element instanceof SVGGeometryElement) drawShape(pen, element, style, alpha);
  else if (element instanceof HTMLElement) drawBox(pen, element, style, alpha);
  for (const child of element.childNodes) {
    if (child instanceof Element) draw(pen, child, alpha);
    else if (child instanceof Text) drawText(pen, child, style, alpha);
  }
}

function drawShape(pen: Pen, element: SVGGeometryElement, style: CSSStyleDeclaration, alpha: number): void {
  const path = pathOf(element);
  const to = element.getScreenCTM();
  if (path === null || to === null) return;
  const [fill, stroke] = [paint(style.fill), paint(style.stroke)];
  const width = parseFloat(style.strokeWidth);
  pen.save();
  pen.transform(to.a, to.b, to.c, to.d, to.e, to.f);
  if (fill !== null && !(element instanceof SVGLineElement)) {
    pen.globalAlpha = alpha * fill.alpha * Number(style.fillOpacity);
    pen.fillStyle = fill.color;
    pen.fillPath(path);
  }
  if (stroke !== null && width > 0) {
    pen.globalAlpha = alpha * stroke.alpha * Number(style.strokeOpacity);
    pen.strokeStyle = stroke.color;
    pen.lineWidth = width;
    pen.setLineDash(style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(",").map(parseFloat));
    pen.strokePath(path);
    pen.setLineDash([]);
  }
  pen.restore();
}

function pathOf(element: SVGGeometryElement): string | null {
  const value = (name: string) => Number(element.getAttribute(name) ?? 0);
  if (element instanceof SVGPathElement) return element.getAttribute("d");
  if (element instanceof SVGRectElement) {
    const [width, height] = [value("width"), value("height")];
    return width > 0 && height > 0 ? `M${value("x")} ${value("y")}h${width}v${height}h${-width}z` : null;
  }
  if (element instanceof SVGLineElement) return `M${value("x1")} ${value("y1")}L${value("x2")} ${value("y2")}`;
  if (!(element instanceof SVGCircleElement)) return null;
  const radius = value("r");
  return `M${value("cx") - radius} ${value("cy")}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;
}

function drawBox(pen: Pen, element: HTMLElement, style: CSSStyleDeclaration, alpha: number): void {
  const { left, top, width, height } = element.getBoundingClientRect();
  const part = (color: string, x: number, y: number, wide: number, tall: number) => {
    const painted = paint(color);
    if (painted === null || wide <= 0 || tall <= 0) return;
    pen.globalAlpha = alpha * painted.alpha;
    pen.fillStyle = painted.color;
    pen.fillRect(x, y, wide, tall);
  };
  const edge = (side: "Top" | "Right" | "Bottom" | "Left") => (style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]));
  part(style.backgroundColor, left, top, width, height);
  part(style.borderTopColor, left, top, width, edge("Top"));
  part(style.borderBottomColor, left, top + height - edge("Bottom"), width, edge("Bottom"));
  part(style.borderLeftColor, left, top, edge("Left"), height);
  part(style.borderRightColor, left + width - edge("Right"), top, edge("Right"), height);
}

function drawText(pen: Pen, node: Text, style: CSSStyleDeclaration, alpha: number): void {
  const isSvg = node.parentElement instanceof SVGElement;
  const color = paint(isSvg ? style.fill : style.color);
  if (color === null || node.data.trim() === "") return;
  const keepsSpaces = style.whiteSpace.startsWith("pre");
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.textBaseline = "middle";
  for (const { text, box } of linesOf(node)) {
    const words = keepsSpaces ? text : text.replace(/\s+/g, " ");
    pen.save();
    // Letters that are turned read from the bottom to the top.
    const isTurned = style.writingMode !== "horizontal-tb";
    if (isTurned) pen.transform(0, -1, 1, 0, box.left + box.width / 2, box.bottom);
    const [x, y] = isTurned ? [0, 0] : [box.left, box.top + box.height / 2];
    const stroke = isSvg ? paint(style.stroke) : null;
    if (stroke !== null) {
      pen.globalAlpha = alpha * stroke.alpha;
      pen.strokeStyle = stroke.color;
      pen.lineWidth = parseFloat(style.strokeWidth);
      pen.strokeText(words, x, y);
    }
    pen.globalAlpha = alpha * color.alpha;
    pen.fillStyle = color.color;
    pen.fillText(words, x, y);
    pen.restore();
  }
}

/** A text as it is broken into lines. */
function linesOf(node: Text): { text: string; box: DOMRect }[] {
  const range = document.createRange();
  range.selectNodeContents(node);
  const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
  if (boxes.length <= 1) return boxes.map((box) => ({ text: node.data, box }));
  const lines: { text: string; box: DOMRect }[] = [];
  for (let at = 0; at < node.length; at++) {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const box = range.getBoundingClientRect();
    const line = lines.at(-1);
    if (line !== undefined && (box.width === 0 || Math.abs(line.box.top - box.top) < 1)) line.text += node.data[at]!;
    else if (box.width > 0) lines.push({ text: node.data[at]!, box });
  }
  return lines;
}

/** A computed colour as `#rrggbb` and how much of it is seen; null where that is nothing. */
export function paint(color: string): { color: string; alpha: number } | null {
  const [, red, green, blue, alpha = "1"] = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(color) ?? [];
  if (red === undefined || Number(alpha) === 0) return null;
  const hex = [red, green!, blue!].map((channel) => Math.round(Number(channel)).toString(16).padStart(2, "0"));
  return { color: `#${hex.join("")}`, alpha: Number(alpha) };
}
