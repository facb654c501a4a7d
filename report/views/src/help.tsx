// The keys that work now, listed by place, in a modal dialog.

import { useEffect, useRef } from "preact/hooks";
import { helpByPlace } from "./keys";

const NAMES: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", " ": "Space", Escape: "Esc" };

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="help" ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <header>
        <h2 id="help-title">Keys</h2>
        <button onClick={() => dialog.current?.close()}>Close</button>
      </header>
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
