// The names and flags of every function that the flame graphs need: columns, because a drawing reads thousands of them.

import { fullName, ownName, prefix } from "../names";
import type { ComparisonTrees, Payload } from "../payload";

export interface Names {
  full: string[];
  /** The part before the function's own name. */
  prefix: string[];
  label: string[];
  /** 1 where the source differs. */
  changed: Uint8Array;
}

export function names(payload: Payload, trees: ComparisonTrees): Names {
  const functions = [...payload.functions.name.keys()];
  const changed = new Uint8Array(functions.length);
  for (const of of trees.changed) changed[of] = 1;
  return {
    full: functions.map((of) => fullName(payload, of)),
    prefix: functions.map((of) => prefix(payload, of)),
    label: functions.map((of) => ownName(payload, of)),
    changed,
  };
}
