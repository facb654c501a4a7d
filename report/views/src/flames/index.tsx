// Not there yet.

import type { ViewProps } from "../view";

export function Flames(_: ViewProps) {
  return <p class="empty">Flames</p>;
}
