// The whole drawing in a corner, with the part in sight: a click or a drag moves that. Those who use keys go from box to
// box instead, so it is hidden from them.

import { useMemo } from "preact/hooks";
import type { Blueprint, Measure, Payload } from "../payload";
import { type BoxKind, kindOfBox } from "./encode";
import type { Drawing } from "./fold";
import type { Layout } from "./layout";
import type { Sight } from "./scroll";

interface MinimapProps {
  payload: Payload;
  blueprint: Blueprint;
  drawing: Drawing;
  measure: Measure;
  laid: Layout;
  zoom: number;
  sight: Sight;
  /** Where the middle of what is in sight shall be, in pixels of the drawing. */
  onMove: (x: number, y: number) => void;
}

const WIDTH = 200;
const TALLEST = 120;
/** A wide drawing is stretched to this height, so that its rows can be told apart. */
const LOWEST = 40;
const MARGIN = 8;
/** Pixels of the smallest box. */
const LEAST = 1.5;

/** Pixels of the corner that a map takes, with its margins. */
export function corner(laid: Layout): { width: number; height: number } {
  return { width: WIDTH + 2 * MARGIN, height: heightOfMap(laid) + 2 * MARGIN };
}

function heightOfMap(laid: Layout): number {
  return Math.max(LOWEST, Math.min(TALLEST, (WIDTH * laid.height) / laid.width));
}

/** Whether some of the drawing is out of sight. */
export function isLarger(laid: Layout, zoom: number, sight: Sight): boolean {
  return laid.width * zoom > sight.width + 1 || laid.height * zoom > sight.height + 1;
}

export function Minimap({ payload, blueprint, drawing, measure, laid, zoom, sight, onMove }: MinimapProps) {
  const height = heightOfMap(laid);
  const paths = useMemo(() => {
    const least = { width: (LEAST * laid.width) / WIDTH, height: (LEAST * laid.height) / height };
    const byKind = new Map<BoxKind, string>();
    for (const box of drawing.boxes) {
      const place = laid.places.get(box.id)!;
      const width = Math.max(place.width, least.width);
      const path = `M${round(place.x)},${round(place.y)}h${round(width)}v${round(Math.max(place.height, least.height))}h${-round(width)}z`;
      const kind = kindOfBox(blueprint, box, measure, payload.better);
      byKind.set(kind, (byKind.get(kind) ?? "") + path);
    }
    return [...byKind].map(([kind, path]) => <path key={kind} data-kind={kind} d={path} />);
  }, [drawing, laid, measure]);

  const percent = (part: number, whole: number) => `${Math.max(0, Math.min(100, (100 * part) / whole))}%`;
  const seen = {
    left: percent(sight.left, laid.width * zoom),
    top: percent(sight.top, laid.height * zoom),
    width: percent(sight.width, laid.width * zoom),
    height: percent(sight.height, laid.height * zoom),
  };
  const move = (event: PointerEvent) => {
    const map = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onMove(((event.clientX - map.left) / map.width) * laid.width * zoom, ((event.clientY - map.top) / map.height) * laid.height * zoom);
  };
  return (
    <div
      class="minimap"
      aria-hidden="true"
      style={{ width: `${WIDTH}px`, height: `${height}px`, left: `${sight.width - WIDTH - MARGIN}px`, top: `${sight.height - height - MARGIN}px` }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && move(event)}
    >
      <svg viewBox={`0 0 ${laid.width} ${laid.height}`} preserveAspectRatio="none">
        {paths}
      </svg>
      <div class="seen" style={seen} />
    </div>
  );
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
