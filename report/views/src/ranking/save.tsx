// The ranking as a file: the rows that are listed as a picture, all stacks as numbers.

import type { DecodedComparison } from "../decode";
import { fullName } from "../names";
import type { Payload } from "../payload";
import type { Saved } from "../save";
import { csv } from "../save/csv";
import { pictureOf } from "../save/picture";
import { ofPair } from "../save/subject";
import { RankingLegend } from "./legend";
import type { RankedStack } from "./rank";

export function rankingSaved(payload: Payload, comparison: DecodedComparison, all: RankedStack[], table: () => Element): Saved {
  const head = ["rank", "difference", "before", "after", "unit", "function", "stack"];
  const rows = () =>
    all.map(({ path, before, after, difference }, at) => {
      const names = path.map((of) => fullName(payload, of));
      return [at + 1, difference, before, after, payload.unit, names.at(-1)!, names.join(";")];
    });
  return {
    ...ofPair(payload, comparison, "ranking", `Cost of each stack's last function in ${payload.unit}`),
    csv: () => csv(head, rows()),
    legend: () => <RankingLegend payload={payload} />,
    picture: () => pictureOf("ranking", () => table().cloneNode(true) as Element),
  };
}
