// Which colours the page has: palette and theme of the modes, the reader's own preferences where the theme is "auto".

import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { applyColors, colorsOf, type Colors } from "./colors";
import type { Modes } from "./state";

/** Sets the page's colours; a change of the system's preference counts at once. */
export function useAppearance(modes: Modes): void {
  const colors = useColors(modes);
  const dark = useIsDark(modes);
  // Before painting, so that nothing is ever seen in the colours of before.
  useLayoutEffect(() => {
    const root = document.documentElement;
    applyColors(root, colors);
    root.dataset.theme = dark ? "dark" : "light";
    root.dataset.palette = modes.palette;
    root.style.colorScheme = dark ? "dark" : "light";
  }, [colors, dark, modes.palette]);
}

/** The colours as values: for a canvas, and for scales. */
export function useColors(modes: Modes): Colors {
  const dark = useIsDark(modes);
  const forced = useMedia("(forced-colors: active)");
  return useMemo(() => colorsOf(modes.palette, dark, forced), [modes.palette, dark, forced]);
}

export function useIsDark(modes: Modes): boolean {
  const prefersDark = useMedia("(prefers-color-scheme: dark)");
  return modes.theme === "auto" ? prefersDark : modes.theme === "dark";
}

export function useReducedMotion(): boolean {
  return useMedia("(prefers-reduced-motion: reduce)");
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const list = window.matchMedia(query);
    const update = () => setMatches(list.matches);
    update();
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, [query]);
  return matches;
}
