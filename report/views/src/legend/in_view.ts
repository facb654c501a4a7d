// Which of the page's drawings the reader looks at.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";

const SECTIONS = ["chart", "matrix", "tabs"] as const;
type Section = (typeof SECTIONS)[number];

/** The last drawing that begins above the middle of the window, else the first; null on a page without drawings. */
export function useSectionInView(): Section | null {
  const [section, setSection] = useState<Section | null>(null);
  const look = () => setSection(sectionInView());
  // After every rendering: a selection makes sections appear and go.
  useLayoutEffect(look);
  useEffect(() => {
    let waiting = false;
    const later = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        look();
      });
    };
    const grows = new ResizeObserver(later);
    grows.observe(document.body);
    window.addEventListener("scroll", later, { passive: true });
    window.addEventListener("resize", later);
    return () => {
      grows.disconnect();
      window.removeEventListener("scroll", later);
      window.removeEventListener("resize", later);
    };
  }, []);
  return section;
}

function sectionInView(): Section | null {
  const top = (section: Section) => document.querySelector(`main > .${section}`)?.getBoundingClientRect().top;
  const there = SECTIONS.filter((section) => top(section) !== undefined);
  return there.findLast((section) => top(section)! < window.innerHeight / 2) ?? there[0] ?? null;
}
