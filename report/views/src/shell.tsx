// The page's order: head, verdict strip, evolution chart, matrix, then tabs, with the source diff docked below and the
// legend always in sight. A part whose data the report lacks is not there.

import { useEffect, useState } from "preact/hooks";
import { Blueprint } from "./blueprint";
import { Chart } from "./chart";
import { Diff } from "./diff";
import { decodeComparison, type DecodedComparison } from "./decode";
import { Flames } from "./flames";
import { Help } from "./help";
import { Legend } from "./legend";
import { MatrixView } from "./matrix";
import { Pair } from "./pair";
import { Ranking } from "./ranking";
import { usePrinting } from "./save/printed";
import { type Store, useStore } from "./state";
import { Strip } from "./strip";
import { Tabs } from "./tabs";
import { useAppearance } from "./theme";
import { Toolbar } from "./toolbar";

export function Shell({ store }: { store: Store }) {
  const { payload } = store;
  const state = useStore(store);
  const comparison = useComparison(store, state.selection.comparison);
  const [help, setHelp] = useState(false);
  useAppearance(state.modes);
  usePrinting(state.modes);
  const reading = <p class="empty">Reading the calling contexts…</p>;
  return (
    <>
      <header class="head">
        <h1>
          <span class="project">{payload.project}</span> {payload.title}
        </h1>
        <Toolbar store={store} onHelp={() => setHelp(true)} />
      </header>
      <main>
        <Strip payload={payload} store={store} />
        {payload.chart.length > 0 && <Chart payload={payload} store={store} />}
        {payload.matrices.length > 0 && <MatrixView payload={payload} store={store} />}
        {(payload.comparisons.length > 0 || payload.chart.length > 0) && <Pair payload={payload} store={store} />}
        {state.selection.comparison >= 0 && (
          <>
            <Tabs
              label="Views of this pair"
              selected={state.view}
              onSelect={(view) => store.setView(view)}
              tabs={[
                { id: "blueprint", title: "Blueprint", content: () => (comparison ? <Blueprint payload={payload} comparison={comparison} state={store} /> : reading) },
                { id: "flames", title: "Flame graphs", content: () => (comparison ? <Flames payload={payload} comparison={comparison} state={store} /> : reading) },
                { id: "ranking", title: "Ranking", content: () => (comparison ? <Ranking payload={payload} comparison={comparison} state={store} /> : reading) },
              ]}
            />
            <Diff payload={payload} comparison={comparison} state={store} />
          </>
        )}
      </main>
      <Legend payload={payload} state={state} />
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

/** Trees are large: each comparison is inflated once, when it is first selected. */
function useComparison(store: Store, index: number): DecodedComparison | null {
  const [read, setRead] = useState(new Map<number, DecodedComparison>());
  useEffect(() => {
    const comparison = store.payload.comparisons[index];
    if (!comparison || read.has(index)) return;
    let wanted = true;
    void decodeComparison(comparison, index).then((decoded) => wanted && setRead((before) => new Map(before).set(index, decoded)));
    return () => void (wanted = false);
  }, [index]);
  return read.get(index) ?? null;
}
