// The pieces of a legend: a mode in words, and signs with what they mean.

import type { ComponentChildren } from "preact";

export interface Meaning {
  id: string;
  sign: ComponentChildren;
  words: string;
}

export function Meanings({ mode, all }: { mode: string; all: Meaning[] }) {
  return (
    <>
      <p class="mode">{mode}</p>
      <ul>
        {all.map(({ id, sign, words }) => (
          <li key={id} data-meaning={id}>
            {sign}
            {words}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A filled box; `of` is a colour's name in the style sheet. */
export function Swatch({ of, glyph = "" }: { of: string; glyph?: string }) {
  return (
    <span class="swatch" data-swatch={of} aria-hidden="true">
      {glyph}
    </span>
  );
}
