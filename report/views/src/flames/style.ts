// The colours and the font that the flame graphs are drawn with.

import type { Colors } from "../colors";
import type { BetterDirection } from "../payload";
import { textWidth } from "../save/pen";
import type { Style } from "./paint";
import { ramp } from "./ramp";

const FONT_SIZE = 12;

export function styleOf(colors: Colors, better: BetterDirection): Style {
  const family = getComputedStyle(document.documentElement).getPropertyValue("--code");
  const font = `${FONT_SIZE}px ${family}`;
  const solid = (color: string, otherwise: string) => (color.startsWith("#") ? color : otherwise);
  return {
    ramp: ramp(colors, better),
    sunk: ramp(colors, better, solid(colors.panel, "#808080")),
    ground: colors.panel,
    edge: colors.neutral,
    accent: colors.accent,
    font,
    strong: `600 ${font}`,
    advance: textWidth("M", font),
  };
}
