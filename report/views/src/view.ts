// What every view below the matrix is given.

import type { DecodedComparison } from "./decode";
import type { Payload } from "./payload";
import type { Store } from "./state";

export interface ViewProps {
  payload: Payload;
  /** null while the selected pair is being read, and where the report does not hold it. */
  comparison: DecodedComparison | null;
  state: Store;
}
