// The properties of every view below the matrix.

import type { DecodedComparison } from "./decode";
import type { Payload } from "./payload";
import type { Store } from "./state";

export interface ViewProps {
  payload: Payload;
  /** null while the selected pair is being read, and if the report does not contain it. */
  comparison: DecodedComparison | null;
  state: Store;
}
