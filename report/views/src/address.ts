// The page's address and the store say the same. What a reader calls a step is an entry of the browser's history, so Back returns to it.

import type { Store } from "./state";

/** Browsers refuse more than about twenty changes of the address a second, and a held arrow key makes more. */
const ADDRESS_REST = 150;

/** On entries that the page made: on their way back, the reader keeps the modes that are set now. */
const OWN_ENTRY = { lito: "step" };

/**
 * Another pair, benchmark, version, function or view is a step. Modes are none: they change the present entry. Steps within one rest
 * are one, else a held key would bury what was before it.
 */
export function mirrorInAddress(store: Store, page: Window): void {
  if (page.location.hash.length > 1) store.readFragment(page.location.hash);
  note(page, "replaceState", page.location.hash);
  let written = store.step();
  let resting = false;
  let following = false;

  const write = () => {
    if (resting || following) return;
    const step = store.step();
    const wanted = `#${store.fragment()}`;
    if (page.location.hash === wanted) return void (written = step);
    note(page, step === written ? "replaceState" : "pushState", wanted);
    written = step;
    resting = true;
    setTimeout(() => {
      resting = false;
      write();
    }, ADDRESS_REST);
  };

  // Also where somebody pastes another fragment behind the address of the open page: that entry is not the page's own.
  page.addEventListener("popstate", ({ state }) => {
    following = true;
    store.readFragment(page.location.hash, state?.lito === OWN_ENTRY.lito ? store.get().modes : undefined);
    following = false;
    written = store.step();
    note(page, "replaceState", page.location.hash);
    write();
  });
  store.subscribe(write);
}

function note(page: Window, how: "pushState" | "replaceState", fragment: string): void {
  try {
    page.history[how](OWN_ENTRY, "", fragment === "" ? undefined : fragment);
  } catch {
    // A frame that shows the page without an address of its own has no history either; the views work without.
  }
}

/** The address that opens the page as it is now. */
export function linkTo(store: Store, page: Window): string {
  return `${page.location.href.replace(/#.*$/s, "")}#${store.fragment()}`;
}
