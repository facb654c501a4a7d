// The part of the drawing in sight, and how it moves.

import type { Place } from "./layout";

/** The scrolled-to area of the drawing, in pixels. */
export interface Sight {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The number of the box that an event is about, -1 outside of all. */
export function boxUnder(event: Event): number {
  const box = (event.target as Element).closest<SVGElement>("[data-node]");
  return box ? Number(box.dataset.node) : -1;
}

export function isSameSight(one: Sight, other: Sight): boolean {
  return one.left === other.left && one.top === other.top && one.width === other.width && one.height === other.height;
}

/** Scrolls just so far that a box and its label are in sight. `corner`: pixels at the lower right that something else covers. */
export function scrollTo(viewport: HTMLElement, place: Place, zoom: number, corner: { width: number; height: number } | null): void {
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = viewport;
  const margin = 40;
  const left = place.x * zoom - margin;
  const right = (place.x + place.width + 200) * zoom;
  const top = place.y * zoom - margin;
  const bottom = (place.y + place.height) * zoom + margin;
  if (left < scrollLeft || right > scrollLeft + clientWidth) viewport.scrollLeft = Math.min(left, Math.max(0, right - clientWidth));
  const isBesideCorner = corner === null || right <= viewport.scrollLeft + clientWidth - corner.width;
  const free = isBesideCorner ? clientHeight : clientHeight - corner.height;
  if (top < scrollTop || bottom > scrollTop + free) viewport.scrollTop = Math.max(0, Math.min(top, bottom - free));
}

/** Dragging the ground moves what is in sight. */
export function dragToScroll(event: PointerEvent): void {
  const viewport = event.currentTarget as HTMLElement;
  if (event.button !== 0 || event.pointerType !== "mouse" || boxUnder(event) >= 0) return;
  const from = { x: event.clientX + viewport.scrollLeft, y: event.clientY + viewport.scrollTop };
  const move = (to: PointerEvent) => {
    viewport.scrollLeft = from.x - to.clientX;
    viewport.scrollTop = from.y - to.clientY;
  };
  const stop = () => {
    viewport.removeEventListener("pointermove", move);
    viewport.releasePointerCapture(event.pointerId);
  };
  viewport.setPointerCapture(event.pointerId);
  viewport.addEventListener("pointermove", move);
  viewport.addEventListener("pointerup", stop, { once: true });
}
