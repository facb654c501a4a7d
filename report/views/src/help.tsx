// How to read the views, and the keys that work now by place, in a modal dialog.

import { useEffect, useRef } from "preact/hooks";
import { helpByPlace } from "./keys";

const NAMES: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", " ": "Space", Escape: "Esc" };

/** In the page's order. */
const VIEWS: [name: string, what: string][] = [
  ["Evolution", "What each benchmark costs at each version, and the steps between them. Pick two points to compare them."],
  ["Matrix", "Modules, types and functions by version. A box is as high as its cost; its colour is how much that changed since the version before, and the bar above it how many functions were modified."],
  ["Causes", "The functions that the difference of the two versions comes from. The parts add up to it."],
  ["Blueprint", "Both executions as one tree of calls, callers above callees. A box is as high as the difference of its cost, and as wide as that of its calls."],
  ["Flame graphs", "Stacks of calls before and after, as wide as their cost. In the third graph the widths are the differences themselves."],
  ["Ranking", "Every stack that changed, the worst first."],
  ["Source", "The selected function before and after. Selecting it in one view selects it in all."],
];

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="help" ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <header>
        <h2 id="help-title">How to read this page</h2>
        <button onClick={() => dialog.current?.close()}>Close</button>
      </header>
      <dl class="views">
        {VIEWS.map(([name, what]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <h2>Keys</h2>
      <div class="places">
        {[...helpByPlace()].map(([place, entries]) => (
          <section key={place}>
            <h3>{place}</h3>
            <dl>
              {entries.map(({ key, what }) => (
                <div key={key}>
                  <dt>
                    <kbd>{NAMES[key] ?? key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
