// Views on paper: in place of what scrolls, or is on a canvas, each prints its whole picture, scaled to the page, in the
// colours of a light page.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { drawn, type Look, type Saved } from ".";
import { applyColors, type Colors, colorsOf } from "../colors";
import type { Modes } from "../state";
import { useColors, useIsDark } from "../theme";
import { svg } from "./picture";

const hosts = new Map<HTMLElement, { title: string; draw: (look: Look) => string }>();

/** Empty on a screen. */
export function Printed({ saved, modes }: { saved: Saved; modes: Modes }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = host.current!;
    hosts.set(element, { title: saved.title, draw: (look) => svg(drawn(saved, modes, look), saved.title) });
    return () => void hosts.delete(element);
  });
  return <div class="printed" ref={host} />;
}

export function usePrinting(modes: Modes): void {
  const colors = useColors(modes);
  const isDark = useIsDark(modes);
  useEffect(() => {
    const begin = () => {
      const light = colorsOf(modes.palette, false);
      appear(light, false);
      const parser = new DOMParser();
      for (const [host, { title, draw }] of hosts) {
        const heading = document.createElement("p");
        heading.textContent = title;
        host.replaceChildren(heading, parser.parseFromString(draw({ colors: light, dark: false }), "image/svg+xml").documentElement);
      }
    };
    const end = () => {
      appear(colors, isDark);
      for (const host of hosts.keys()) host.replaceChildren();
    };
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, [colors, isDark, modes.palette]);
}

function appear(colors: Colors, isDark: boolean): void {
  const root = document.documentElement;
  applyColors(root, colors);
  root.dataset.theme = isDark ? "dark" : "light";
  root.style.colorScheme = isDark ? "dark" : "light";
}
