// The ranking: every stack that changed as a row, the worst first, or the best.

import { useMemo, useRef, useState } from "preact/hooks";
import { toneOf } from "../better";
import { pathOf } from "../blueprint/selected";
import type { DecodedComparison } from "../decode";
import { frames } from "../flames/frames";
import { compact, integer, share } from "../format";
import { useKeys } from "../keys";
import { fullName, ownName } from "../names";
import type { Payload } from "../payload";
import { SaveMenu } from "../save";
import { SearchField } from "../search_field";
import { type Store, useStore } from "../state";
import type { ViewProps } from "../view";
import { type RankedStack, ranking } from "./rank";
import "./ranking.css";
import { rankingSaved } from "./save";

/** Rows that are added at a time. */
const STEP = 100;
/** Callers that are named beside a stack's last function. */
const CALLERS = 3;

export function Ranking({ payload, comparison, state }: ViewProps) {
  if (comparison === null) return <p class="empty">This report has no stacks of this pair.</p>;
  return <Table key={comparison.index} payload={payload} comparison={comparison} store={state} />;
}

function Table({ payload, comparison, store }: { payload: Payload; comparison: DecodedComparison; store: Store }) {
  const { selection, modes } = useStore(store);
  const { trees } = comparison;
  const model = useMemo(() => frames(trees.flames), [trees]);
  const all = useMemo(() => ranking(model, payload.better), [model, payload]);
  const [isReversed, setReversed] = useState(false);
  const [query, setQuery] = useState("");
  const [count, setCount] = useState(STEP);
  const field = useRef<HTMLInputElement>(null);
  const table = useRef<HTMLTableElement>(null);
  useKeys([{ key: "/", what: "Search for a function", where: "Ranking", run: () => field.current?.focus() }]);
  const found = useMemo(() => {
    const wanted = query.toLowerCase();
    const matches = (stack: RankedStack) => stack.path.some((of) => fullName(payload, of).toLowerCase().includes(wanted));
    const list = wanted === "" ? all : all.filter(matches);
    return isReversed ? [...list].reverse() : list;
  }, [all, query, isReversed]);
  const total = comparison.after.total - comparison.before.total;
  const pick = ({ frame, path }: RankedStack) => {
    const node = model.node[frame]!;
    store.select({ function: path.at(-1)!, path: node >= 0 ? pathOf(trees.blueprint, node) : path });
  };
  const isSelected = ({ path }: RankedStack) => selection.path.length > 0 && selection.path.join() === path.join();
  const changed = new Set(trees.changed);
  if (all.length === 0) return <p class="empty">No stack differs by more than noise.</p>;
  return (
    <div class="ranking">
      <div class="contexts-bar" role="toolbar" aria-label="Ranking">
        <button aria-pressed={isReversed} onClick={() => setReversed(!isReversed)}>
          {isReversed ? "Best first" : "Worst first"}
        </button>
        <SearchField query={query} placeholder="function" field={field} onQuery={setQuery} onNext={() => {}} />
        <span class="dim count" role="status">
          {integer(found.length)} {found.length === 1 ? "stack" : "stacks"} that changed
        </span>
        <SaveMenu saved={rankingSaved(payload, comparison, all, () => table.current!)} modes={modes} />
      </div>
      <div class="scroller" tabIndex={0} role="region" aria-label="Stacks that changed">
        <table ref={table}>
          <thead>
            <tr>
              <th scope="col" class="figure">#</th>
              <th scope="col" class="figure">difference</th>
              <th scope="col" class="figure" title="Parts that cost more and parts that cost less can exceed the difference that is left of them">of the difference</th>
              <th scope="col" class="figure">before</th>
              <th scope="col" class="figure">after</th>
              <th scope="col">function, and who called it</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, count).map((stack, at) => {
              const { frame, path, before, after, difference } = stack;
              const of = path.at(-1)!;
              const callers = path.slice(0, -1).reverse();
              return (
                <tr key={frame} data-frame={frame} data-function={of} class={isSelected(stack) ? "selected" : ""}>
                  <td class="figure dim">{at + 1}</td>
                  <td class="figure" data-difference={difference}>
                    <span class="glyph" data-tone={toneOf(difference, payload.better)} aria-hidden="true">
                      {difference > 0 ? "▲" : "▼"}
                    </span>
                    {difference > 0 ? "+" : ""}
                    {compact(difference)} {payload.unit}
                  </td>
                  <td class="figure">{total === 0 ? "" : share(difference / total)}</td>
                  <td class="figure">{before > 0 ? compact(before) : "new"}</td>
                  <td class="figure">{after > 0 ? compact(after) : "removed"}</td>
                  <td class="stack">
                    <button class="link" title={path.map((each) => fullName(payload, each)).join(" › ")} onClick={() => pick(stack)}>
                      <strong>{ownName(payload, of)}</strong>
                    </button>
                    {changed.has(of) && <span class="dim"> (source changed)</span>}
                    <span class="dim callers">
                      {callers.slice(0, CALLERS).map((each) => ` ← ${ownName(payload, each)}`).join("")}
                      {callers.length > CALLERS && ` ← ${callers.length - CALLERS} more`}
                    </span>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {count < found.length && <button onClick={() => setCount(count + STEP)}>{Math.min(STEP, found.length - count)} more</button>}
      </div>
    </div>
  );
}
