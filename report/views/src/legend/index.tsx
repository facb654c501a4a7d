// Always in sight at the window's foot: what marks and colours mean in the section that the reader looks at, and no other's; with the
// mode that it draws in, in words.

import { BlueprintLegend } from "../blueprint/legend";
import { ChartLegend } from "../chart/legend";
import { FlamesLegend } from "../flames/legend";
import { MatrixLegend } from "../matrix/legend";
import type { Payload } from "../payload";
import { RankingLegend } from "../ranking/legend";
import type { State } from "../state";
import { useMedia } from "../theme";
import { useSectionInView } from "./in_view";

export function Legend({ payload, state }: { payload: Payload; state: State }) {
  const section = useSectionInView();
  // In a narrow window it is one line, which keys must reach to scroll it.
  const scrolls = useMedia("(max-width: 640px)");
  const ofView = section === "tabs" ? state.view : section;
  return (
    <footer class="legend" aria-label="Legend" data-of={ofView} tabIndex={scrolls ? 0 : undefined}>
      {ofView === "chart" && <ChartLegend payload={payload} />}
      {ofView === "matrix" && <MatrixLegend payload={payload} modes={state.modes} />}
      {ofView === "blueprint" && <BlueprintLegend payload={payload} modes={state.modes} />}
      {ofView === "ranking" && <RankingLegend payload={payload} />}
      {ofView === "flames" && <FlamesLegend payload={payload} modes={state.modes} />}
    </footer>
  );
}
