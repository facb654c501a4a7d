// The table of causes as a file.

import { fullName } from "./names";
import type { Comparison, Payload } from "./payload";
import type { Saved } from "./save";
import { csv } from "./save/csv";
import { pictureOf } from "./save/picture";
import { ofPair } from "./save/subject";

export function causesSaved(payload: Payload, comparison: Comparison, table: () => Element): Saved {
  return {
    ...ofPair(payload, comparison, "causes", "Where the difference comes from"),
    csv: () => causesAsCsv(payload, comparison),
    picture: () => pictureOf("causes", () => table().cloneNode(true) as Element),
  };
}

function causesAsCsv(payload: Payload, { causes }: Comparison): string {
  const head = ["function", "origin", "changed_in", "contexts", "difference", "unit", "share_of_difference"];
  const rows = causes.map(({ function: of, origin, versions, contexts, difference, share }) => [
    of < 0 ? null : fullName(payload, of),
    origin,
    versions.map((version) => payload.versions[version]!.label).join(" "),
    contexts,
    difference,
    payload.unit,
    share,
  ]);
  return csv(head, rows);
}
