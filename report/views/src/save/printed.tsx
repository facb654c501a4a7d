// Views on paper: in place of what scrolls, or is on a canvas, each prints its whole picture, scaled to the page or in
// parts, in the colours of a light page.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type Look, type Saved, sheetsOf } from ".";
import { applyColors, type Colors, colorsOf } from "../colors";
import type { Modes } from "../state";
import { useColors, useIsDark } from "../theme";
import { svg } from "./picture";

/** Of each view, the titles of its sheets and their SVG. */
const hosts = new Map<HTMLElement, (look: Look) => { title: string; drawing: string }[]>();

/** Empty on a screen. */
export function Printed({ saved, modes }: { saved: Saved; modes: Modes }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = host.current!;
    hosts.set(element, (look) => sheetsOf(saved, modes, look).map(({ title, picture }) => ({ title, drawing: svg(picture, title) })));
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
      for (const [host, draw] of hosts) {
        const sheets = draw({ colors: light, dark: false }).map(({ title, drawing }) => {
          const sheet = document.createElement("figure");
          const heading = document.createElement("figcaption");
          heading.textContent = title;
          sheet.append(heading, parser.parseFromString(drawing, "image/svg+xml").documentElement);
          return sheet;
        });
        host.replaceChildren(...sheets);
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
