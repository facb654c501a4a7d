// Not there yet.

import type { ViewProps } from "../view";

export function Blueprint(_: ViewProps) {
  return <p class="empty">Blueprint</p>;
}
