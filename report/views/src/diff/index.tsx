// Not there yet.

import type { Payload } from "../payload";
import type { ViewProps } from "../view";

/** The source of the selected function before and after (B12). */
export function Diff(_: ViewProps) {
  return <p class="empty">Diff</p>;
}

/** The diff alone, of a function between two versions: also the matrix's popup (M10). */
export function DiffView(props: { payload: Payload; function: number; before: number; after: number }) {
  return <p class="empty">{props.function}</p>;
}
