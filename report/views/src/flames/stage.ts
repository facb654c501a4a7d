// One graph on the page: a canvas as large as what is in sight of it, with an overlay for outlines, inside of a scroller.
// Redraws itself when it is resized or scrolled.

import { type Box, frameAt, Pencil, place, ROW, type Scene, type Style, type Window } from "./paint";

/** A frame outlined on the overlay. */
export interface Outline {
  frame: number;
  color: string;
  width: number;
}

export class Stage {
  private scene: Scene | null = null;
  private style: Style | null = null;
  private range = { from: 0, to: 1 };
  private outlines: Outline[] = [];
  private width = 0;
  private height = 0;
  /** `bottom` when it was last drawn. */
  private foot = 0;
  private moving = false;
  private readonly pencil = new Pencil();
  private readonly context: CanvasRenderingContext2D;
  private readonly above: CanvasRenderingContext2D;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly scroller: HTMLElement,
    private readonly spacer: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly overlay: HTMLCanvasElement,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.above = overlay.getContext("2d")!;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(scroller);
    scroller.addEventListener("scroll", this.scrolled);
  }

  dispose(): void {
    this.observer.disconnect();
    this.scroller.removeEventListener("scroll", this.scrolled);
  }

  show(scene: Scene, style: Style): void {
    const isTaller = this.scene?.frames !== scene.frames;
    this.scene = scene;
    this.style = style;
    if (isTaller) {
      this.spacer.style.height = `${(scene.frames.height + 1) * ROW}px`;
      this.resize();
      this.scroller.scrollTop = this.scroller.scrollHeight;
    }
    this.draw();
  }

  /** Fractions of the graph's full width. `moving`: a zoom is under way, what costs time can wait. */
  look(range: { from: number; to: number }, moving: boolean): void {
    this.range = range;
    this.moving = moving;
    this.draw();
  }

  outline(outlines: Outline[]): void {
    this.outlines = outlines;
    this.drawOutlines();
  }

  /** A point in the window's pixels. */
  at(clientX: number, clientY: number): number {
    if (this.scene === null) return -1;
    const { left, top } = this.canvas.getBoundingClientRect();
    return frameAt(this.scene, clientX - left, clientY - top, this.window(), this.width, this.height);
  }

  /** Pixels from the canvas's upper left corner. */
  place(frame: number): Box | null {
    return this.scene && place(this.scene, frame, this.window(), this.width, this.height);
  }

  /** Pixels that are above the root's foot and yet out of sight below. */
  get bottom(): number {
    return this.scroller.scrollHeight - this.scroller.clientHeight - this.scroller.scrollTop;
  }

  /** Scrolls so that a row and some below it are in sight; with `least`, only if it is not. */
  scrollToDepth(depth: number, least: boolean): void {
    const foot = depth * ROW;
    if (least && foot >= this.bottom && foot + ROW <= this.bottom + this.height) return;
    this.scroller.scrollTop = this.scroller.scrollHeight - this.scroller.clientHeight - Math.max(0, foot - 3 * ROW);
  }

  private readonly scrolled = () => this.draw();

  private window(): Window {
    return { ...this.range, bottom: this.bottom };
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.scroller;
    if (clientWidth === 0) return;
    const ratio = window.devicePixelRatio;
    this.width = clientWidth;
    this.height = clientHeight;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(clientWidth * ratio);
      canvas.height = Math.round(clientHeight * ratio);
      canvas.style.width = `${clientWidth}px`;
      canvas.style.height = `${clientHeight}px`;
      canvas.getContext("2d")!.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    // The root's foot stays where it is.
    this.scroller.scrollTop += this.bottom - this.foot;
    this.draw();
  }

  private draw(): void {
    if (this.scene === null || this.style === null || this.width === 0) return;
    this.foot = this.bottom;
    this.pencil.draw(this.context, this.scene, this.style, this.window(), this.width, this.height, this.moving);
    this.drawOutlines();
  }

  private drawOutlines(): void {
    this.above.clearRect(0, 0, this.width, this.height);
    if (this.moving) return;
    for (const { frame, color, width } of this.outlines) {
      const box = this.place(frame);
      if (box === null) continue;
      const left = Math.max(-4, box.x);
      const right = Math.min(this.width + 4, box.x + box.width);
      if (right < left) continue;
      this.above.strokeStyle = color;
      this.above.lineWidth = width;
      this.above.strokeRect(left - width / 2 + 0.5, box.y - width / 2 + 0.5, right - left + width - 1, box.height + width - 1);
    }
  }
}
