// A pen that writes SVG. It names fonts with what stands in for them, and the width of every text, because the reader's
// machine may have other fonts; colours and strokes are attributes, because a policy may forbid styles.

import { type Pen, textWidth } from "./pen";

type State = Pick<Pen, "fillStyle" | "strokeStyle" | "lineWidth" | "globalAlpha" | "font" | "textBaseline"> & { dash: number[] };

/** Of a font's size, from the middle of a line of text down to its base line. */
const HALF_LINE = 0.35;

export class SvgPen implements Pen {
  fillStyle: Pen["fillStyle"] = "#000000";
  strokeStyle: Pen["strokeStyle"] = "#000000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "10px sans-serif";
  textBaseline: CanvasTextBaseline = "alphabetic";
  private dash: number[] = [];
  private path = "";
  private readonly parts: string[] = [];
  /** With the number of groups that were opened since. */
  private readonly saved: { state: State; groups: number }[] = [];

  /** The whole document. */
  document(width: number, height: number, title: string): string {
    const size = `width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escape(title)}">\n<title>${escape(title)}</title>\n${this.parts.join("\n")}\n</svg>\n`;
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textBaseline, dash } = this;
    this.saved.push({ state: { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textBaseline, dash }, groups: 0 });
  }

  restore(): void {
    const last = this.saved.pop();
    if (last === undefined) return;
    Object.assign(this, last.state);
    if (last.groups > 0) this.parts.push("</g>".repeat(last.groups));
  }

  transform(a: number, b: number, c: number, d: number, e: number, f: number): void {
    if (a === 1 && b === 0 && c === 0 && d === 1 && e === 0 && f === 0) return;
    const last = this.saved.at(-1);
    if (last === undefined) throw new Error("a transformation without an end");
    last.groups++;
    const moves = a === 1 && b === 0 && c === 0 && d === 1;
    this.parts.push(`<g transform="${moves ? `translate(${round(e)} ${round(f)})` : `matrix(${[a, b, c, d, e, f].map(round).join(" ")})`}">`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(`<rect ${box(x, y, width, height)}${this.filled()}/>`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(`<rect ${box(x, y, width, height)}${this.stroked()}/>`);
  }

  setLineDash(dash: Iterable<number>): void {
    this.dash = [...dash];
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `L${round(x)} ${round(y)}`;
  }

  fill(): void {
    this.fillPath(`${this.path}Z`);
  }

  fillPath(path: string): void {
    this.parts.push(`<path d="${escape(path)}"${this.filled()}/>`);
  }

  strokePath(path: string): void {
    this.parts.push(`<path d="${escape(path)}"${this.stroked()}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    this.text(text, x, y, this.filled());
  }

  strokeText(text: string, x: number, y: number): void {
    this.text(text, x, y, `${this.stroked()} stroke-linejoin="round"`);
  }

  private text(text: string, x: number, y: number, look: string): void {
    const [, weight = "400", size = "10", family = "sans-serif"] = /^(?:(\S+) )?([\d.]+)px (.+)$/.exec(this.font) ?? [];
    const base = this.textBaseline === "middle" ? y + HALF_LINE * Number(size) : y;
    const font = `font-family="${escape(family)}" font-size="${size}"${weight === "400" ? "" : ` font-weight="${weight}"`}`;
    const length = text.length > 1 ? ` textLength="${round(textWidth(text, this.font))}" lengthAdjust="spacingAndGlyphs"` : "";
    this.parts.push(`<text x="${round(x)}" y="${round(base)}" ${font}${length} xml:space="preserve"${look}>${escape(text)}</text>`);
  }

  private filled(): string {
    return ` fill="${escape(String(this.fillStyle))}"${this.seenThrough()}`;
  }

  private stroked(): string {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return ` fill="none" stroke="${escape(String(this.strokeStyle))}" stroke-width="${round(this.lineWidth)}"${dash}${this.seenThrough()}`;
  }

  private seenThrough(): string {
    return this.globalAlpha === 1 ? "" : ` opacity="${round(this.globalAlpha)}"`;
  }
}

function box(x: number, y: number, width: number, height: number): string {
  return `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Also without what no XML may contain. */
function escape(text: string): string {
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd").replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
