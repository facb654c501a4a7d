// Keys of the page: views bind keys, one listener dispatches them, the help lists them.
//
// Keys that only mean something inside one element (arrows in a tree) are that element's own `onKeyDown`; such a view
// calls `describe` so that the help knows them.

import { useEffect, useLayoutEffect } from "preact/hooks";

export interface Binding {
  /** `KeyboardEvent.key`. */
  key: string;
  /** Text of the help. */
  what: string;
  /** Heading in the help: "Everywhere", "Matrix", … */
  where: string;
  /** Returns false to pass the key to the binding before this one. */
  run: (event: KeyboardEvent) => boolean | void;
}

export type Description = Omit<Binding, "run">;

const bindings: Binding[] = [];
const descriptions: Description[] = [];

/** Adds a binding, which takes precedence over earlier ones of its key. Returns a function that removes it. */
function bind(binding: Binding): () => void {
  bindings.push(binding);
  return () => void bindings.splice(bindings.indexOf(binding), 1);
}

function describe(description: Description): () => void {
  descriptions.push(description);
  return () => void descriptions.splice(descriptions.indexOf(description), 1);
}

/** In the page's order; a place that is not listed comes last. */
const PLACES = ["Everywhere", "Chart", "Matrix", "Blueprint", "Flame graphs", "Source"];

/** Entries of the help by place; those of one place in the order in which they were bound. */
export function helpByPlace(): Map<string, Description[]> {
  const places = new Map<string, Description[]>();
  for (const entry of [...bindings, ...descriptions]) {
    const place = places.get(entry.where) ?? [];
    if (!place.some((other) => other.key === entry.key)) place.push(entry);
    places.set(entry.where, place);
  }
  const rank = (place: string) => (PLACES.includes(place) ? PLACES.indexOf(place) : PLACES.length);
  return new Map([...places].sort(([a], [b]) => rank(a) - rank(b)));
}

/** Binds while a component is on the page; `run` may close over anything, it is always the last one rendered. */
export function useKeys(list: Binding[]): void {
  // Not an effect after painting: a second key may come before that, and must not meet the state before the first.
  useLayoutEffect(() => {
    const undo = list.map(bind);
    return () => undo.forEach((each) => each());
  });
}

export function useDescriptions(list: Description[]): void {
  useEffect(() => {
    const undo = list.map(describe);
    return () => undo.forEach((each) => each());
  }, []);
}

export function listen(target: Document): void {
  target.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    for (const binding of [...bindings].reverse()) {
      if (binding.key !== event.key) continue;
      if (binding.run(event) !== false) {
        event.preventDefault();
        return;
      }
    }
  });
}

/** Single letters belong to whoever is typing them. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "range", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}
