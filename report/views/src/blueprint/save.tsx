// The blueprint as a file: every box that is shown, at a zoom of 1; the numbers are those of all contexts.

import { fullName } from "../names";
import { NodeKind, type Payload } from "../payload";
import type { DecodedComparison } from "../decode";
import type { Saved } from "../save";
import { type Cell, csv } from "../save/csv";
import { pictureOf } from "../save/picture";
import { ofPair } from "../save/subject";
import { BlueprintLegend } from "./legend";
import { type PictureProps, picture } from "./picture";
import type { Shown, Tree } from "./tree";
import { heightInWords } from "./words";

type Whole = Omit<PictureProps, "zoom" | "sideways" | "sight" | "focus">;

export function blueprintSaved(comparison: DecodedComparison, shown: Shown, whole: Whole): Saved {
  const { payload, tree, measure, laid } = whole;
  const sight = { left: 0, top: 0, width: laid.width, height: laid.height };
  const all = () => picture({ ...whole, zoom: 1, sideways: 0, sight, focus: -1 });
  return {
    ...ofPair(payload, comparison, "blueprint", `Height: ${heightInWords(measure, payload.unit)}`),
    csv: () => contextsAsCsv(payload, tree, shown),
    legend: (modes) => <BlueprintLegend {...{ payload, modes }} />,
    picture: () =>
      pictureOf("blueprint", () => {
        const { edges, boxes, labels } = all();
        return (
          <svg width={laid.width} height={laid.height}>
            {edges}
            {boxes}
            {labels}
          </svg>
        );
      }),
  };
}

const KINDS: Record<NodeKind, string> = { [NodeKind.Both]: "both", [NodeKind.New]: "new", [NodeKind.Removed]: "removed" };

/** One row a context; `caller` is the number of another. What a side lacks is empty. */
function contextsAsCsv(payload: Payload, { blueprint, depth }: Tree, shown: Shown): string {
  const head = ["context", "caller", "depth", "function", "in", "source_changed", "before", "after", "self_before", "self_after", "calls_before", "calls_after", "calls_estimated", "share_difference", "unit", "shown"];
  const known = (value: number): Cell => (value < 0 ? null : value);
  const rows = blueprint.parent.map((caller, node): Cell[] => [
    node,
    known(caller),
    depth[node]!,
    fullName(payload, blueprint.function[node]!),
    KINDS[blueprint.kind[node]!],
    blueprint.changed[node]!,
    known(blueprint.before[node]!),
    known(blueprint.after[node]!),
    known(blueprint.selfBefore[node]!),
    known(blueprint.selfAfter[node]!),
    known(blueprint.callsBefore[node]!),
    known(blueprint.callsAfter[node]!),
    blueprint.estimated[node]!,
    blueprint.h[0][node]!,
    payload.unit,
    shown.has(node) ? 1 : 0,
  ]);
  return csv(head, rows);
}
