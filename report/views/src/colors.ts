// Both palettes, for light and dark pages, as values (for a canvas) and as CSS custom properties (for everything else).
//
// The six meanings are the same hues everywhere; on a dark page the two strong ones are brighter, because those of the
// paper would be hard to see. Forced colours are the style sheet's business, except on a canvas: see `colorsOf`.

import { isWorse } from "./better";

export type PaletteName = "paper" | "blind";
export type ThemeName = "auto" | "light" | "dark";

export interface Colors {
  slowerChanged: string;
  slower: string;
  fasterChanged: string;
  faster: string;
  added: string;
  removed: string;
  /** No difference, or one that is noise. */
  neutral: string;
  /** Ground of a frame in the differential flame graphs that did not change (D3). */
  unchanged: string;
  /** Call graph and timelines of the matrix (M8, M9): added or this version, deleted or the one before, kept. */
  callAdded: string;
  callDeleted: string;
  callKept: string;
  ground: string;
  panel: string;
  text: string;
  dim: string;
  line: string;
  accent: string;
  /** Of a box that is selected. */
  selection: string;
}

const light = {
  removed: "#8A8F98",
  neutral: "#D5D8DD",
  unchanged: "#FFFFFF",
  callAdded: "#1F5FBF",
  callDeleted: "#8A8F98",
  callKept: "#16181D",
  ground: "#FFFFFF",
  panel: "#F6F7F9",
  text: "#16181D",
  dim: "#5A6069",
  line: "#DDE0E5",
  accent: "#1F5FBF",
  selection: "#16181D",
};

const dark: typeof light = {
  removed: "#8A8F98",
  neutral: "#494E57",
  unchanged: "#E4E6EA",
  callAdded: "#6EA8FF",
  callDeleted: "#767C86",
  callKept: "#E7E9ED",
  ground: "#14161A",
  panel: "#1C1F24",
  text: "#E7E9ED",
  dim: "#A0A6B0",
  line: "#333840",
  accent: "#7DB0FF",
  selection: "#FFFFFF",
};

const meanings = {
  paper: {
    light: { slowerChanged: "#B3261E", slower: "#F2A29B", fasterChanged: "#0B7A5B", faster: "#A5DCCB", added: "#F5C518" },
    dark: { slowerChanged: "#E0483E", slower: "#F2A29B", fasterChanged: "#1FA37D", faster: "#A5DCCB", added: "#F5C518" },
  },
  blind: {
    light: { slowerChanged: "#B2182B", slower: "#F4A582", fasterChanged: "#2166AC", faster: "#92C5DE", added: "#F0E442" },
    dark: { slowerChanged: "#DF4A4F", slower: "#F4A582", fasterChanged: "#4A90D9", faster: "#92C5DE", added: "#F0E442" },
  },
};

/** CSS names of the colours of the reader's own scheme; a canvas accepts them too. */
const forced: Partial<Colors> = {
  ground: "Canvas",
  panel: "Canvas",
  text: "CanvasText",
  dim: "CanvasText",
  line: "GrayText",
  accent: "Highlight",
  selection: "Highlight",
  callKept: "CanvasText",
};

/** `forcedColors`: the reader's own colours replace ours, but not those that carry a meaning. */
export function colorsOf(palette: PaletteName, darkPage: boolean, forcedColors = false): Colors {
  const theme = darkPage ? "dark" : "light";
  return { ...(darkPage ? dark : light), ...meanings[palette][theme], ...(forcedColors ? forced : {}) };
}

/** Sets `--slower-changed`, `--ground`, … on the page. */
export function applyColors(root: HTMLElement, colors: Colors): void {
  for (const [name, value] of Object.entries(colors)) {
    root.style.setProperty(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, value);
  }
}

/**
 * M6: full worse colour at +100%, full better colour at -100%, neutral between; `change` is 0.1 for +10%. By square root: +10%, which
 * nobody would see on a straight scale, has a third of the full colour.
 */
export function diverging(change: number, colors: Colors, better: "less" | "more" = "less"): string {
  return mix(colors.neutral, isWorse(change, better) ? colors.slowerChanged : colors.fasterChanged, Math.min(1, Math.sqrt(Math.abs(change))));
}

/** Straight line between two `#rrggbb`, `t` from 0 to 1. */
export function mix(from: string, to: string, t: number): string {
  const channel = (color: string, at: number) => parseInt(color.slice(at, at + 2), 16);
  const blend = (at: number) => Math.round(channel(from, at) + (channel(to, at) - channel(from, at)) * t);
  return `#${[1, 3, 5].map((at) => blend(at).toString(16).padStart(2, "0")).join("")}`;
}

/** Lines of benchmarks: eight that can be told apart, at least 3:1 against the page; the ninth is the first, dashed. */
const LINES = {
  light: ["#1F5FBF", "#B3541E", "#0B7A5B", "#8E3A9D", "#A3195B", "#6B6A00", "#00738A", "#5A6069"],
  dark: ["#7DB0FF", "#FFA066", "#4FD1A5", "#D69BE8", "#FF8FB8", "#C9CC4B", "#4CC9DA", "#B6BCC6"],
};
const DASHES = [[], [6, 3], [2, 3]];

export function lineStyle(at: number, darkPage: boolean): { color: string; dash: number[] } {
  const colors = LINES[darkPage ? "dark" : "light"];
  return { color: colors[at % colors.length]!, dash: DASHES[Math.floor(at / colors.length) % DASHES.length]! };
}

/** Black or white, whichever is read better on `#rrggbb` (WCAG's relative luminance). */
export function inkOn(background: string): string {
  const linear = (at: number) => {
    const value = parseInt(background.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
  return luminance > 0.179 ? "#000000" : "#FFFFFF";
}
