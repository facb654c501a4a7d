// A menu of actions beside a point of the window, for mouse and keyboard: of a node (B10), or of a button.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export interface Action {
  id: string;
  words: string;
  /** An action without effect stays in its place, but says so. */
  possible: boolean;
  run: () => void;
}

interface MenuProps {
  label: string;
  actions: Action[];
  /** Pixels in the window. */
  x: number;
  y: number;
  onClose: () => void;
}

export function Menu({ label, actions, x, y, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = menu.current!;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(x, window.innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(4, Math.min(y, window.innerHeight - height - 4))}px`;
    items(element)[0]?.focus();
  }, [x, y]);
  useEffect(() => {
    const elsewhere = (event: PointerEvent) => {
      if (!menu.current!.contains(event.target as Node)) onClose();
    };
    document.addEventListener("pointerdown", elsewhere, true);
    return () => document.removeEventListener("pointerdown", elsewhere, true);
  }, [onClose]);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items(menu.current!);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all[(to + all.length) % all.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  // The menu key opens the browser's own menu when it is let go, which may be above this one.
  return (
    <div class="menu" role="menu" aria-label={label} ref={menu} onKeyDown={onKeyDown} onContextMenu={(event) => event.preventDefault()}>
      {actions.map(({ id, words, possible, run }) => (
        <button
          key={id}
          role="menuitem"
          tabIndex={-1}
          data-action={id}
          aria-disabled={!possible}
          onClick={() => {
            if (!possible) return;
            run();
            onClose();
          }}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

function items(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}
