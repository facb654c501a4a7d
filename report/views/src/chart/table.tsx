// Many benchmarks as a table: sorted, searched, filtered; what is ticked is drawn. Its first rows are the worst.

import { useMemo, useState } from "preact/hooks";
import { badness, isWorse, toneOf } from "../better";
import { compact, signedShare } from "../format";
import { PathName } from "../path_name";
import type { Payload, Series, SeriesChange } from "../payload";
import type { BenchmarksProps } from "./benchmarks";
import type { Line } from "./plot";
import { changeInWords, lastValue, wholeChange, worstStep } from "./points";
import { Sparkline } from "./sparkline";

interface BenchmarkTableProps extends BenchmarksProps {
  onSelect: (benchmark: number) => void;
  onStep: (benchmark: number, step: SeriesChange) => void;
}

type Column = "name" | "cost" | "change" | "step";
type Filter = "all" | "regressed" | "improved";

interface Row {
  series: Series;
  line: Line;
  name: string;
  cost: number | null;
  change: number | null;
  step: SeriesChange | null;
  regressed: boolean;
  improved: boolean;
}

const COLUMNS: [column: Column, words: string][] = [
  ["name", "benchmark"],
  ["cost", "newest cost"],
  ["change", "change"],
  ["step", "worst step"],
];
const FILTERS: [filter: Filter, words: string][] = [
  ["all", "All"],
  ["regressed", "With a worse step"],
  ["improved", "With a better step"],
];

export function BenchmarkTable({ payload, series, lines, ticked, selected, onTick, onEmphasis, onSelect, onStep }: BenchmarkTableProps) {
  const [sort, setSort] = useState<{ column: Column; descending: boolean }>({ column: "step", descending: true });
  const [filter, setFilter] = useState<Filter>("all");
  const [query, setQuery] = useState("");
  const all = useMemo(() => series.map((each, at) => row(payload, each, lines[at]!)), [payload, series, lines]);
  const count = (of: Filter) => all.filter((each) => passes(each, of)).length;
  const shown = useMemo(() => {
    const wanted = query.toLowerCase();
    const found = all.filter((each) => passes(each, filter) && each.name.toLowerCase().includes(wanted));
    const order = (a: Row, b: Row) => compare(a, b, sort.column, payload.better) || a.name.localeCompare(b.name);
    return found.sort((a, b) => (sort.descending ? -order(a, b) : order(a, b)));
  }, [all, filter, query, sort]);
  const press = (column: Column) => setSort({ column, descending: sort.column === column ? !sort.descending : column !== "name" });
  const benchmarks = shown.map((each) => each.series.benchmark);
  const allTicked = benchmarks.length > 0 && benchmarks.every((each) => ticked.has(each));
  return (
    <div class="benchmark-table">
      <div class="bar">
        <span role="group" aria-label="Benchmarks to list">
          {FILTERS.map(([of, words]) => (
            <button key={of} data-filter={of} aria-pressed={filter === of} onClick={() => setFilter(of)}>
              {words} <span class="dim">{count(of)}</span>
            </button>
          ))}
        </span>
        <input type="search" name="benchmark" placeholder="benchmark" aria-label="Search for a benchmark" value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
        <span class="dim" role="status">
          {shown.length} listed, {ticked.size} drawn
        </span>
      </div>
      <div class="scroller" tabIndex={0} role="region" aria-label="Benchmarks">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <input type="checkbox" aria-label="Draw all that are listed" checked={allTicked} onChange={() => onTick(benchmarks, !allTicked)} />
              </th>
              {COLUMNS.map(([column, words]) => (
                <th
                  key={column}
                  scope="col"
                  class={column === "name" || column === "step" ? "" : "figure"}
                  aria-sort={sort.column === column ? (sort.descending ? "descending" : "ascending") : undefined}
                >
                  <button class="link" data-sort={column} onClick={() => press(column)}>
                    {words}
                    <span aria-hidden="true">{sort.column === column ? (sort.descending ? " ↓" : " ↑") : ""}</span>
                  </button>
                </th>
              ))}
              <th scope="col">oldest → newest</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((each) => (
              <BenchmarkRow
                key={each.series.benchmark}
                {...{ payload, row: each, onEmphasis, onSelect, onStep }}
                isTicked={ticked.has(each.series.benchmark)}
                isSelected={each.series.benchmark === selected}
                onTick={(to) => onTick([each.series.benchmark], to)}
              />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && <p class="empty">No benchmark is like that.</p>}
      </div>
    </div>
  );
}

interface BenchmarkRowProps extends Pick<BenchmarkTableProps, "payload" | "onEmphasis" | "onSelect" | "onStep"> {
  row: Row;
  isTicked: boolean;
  isSelected: boolean;
  onTick: (to: boolean) => void;
}

function BenchmarkRow({ payload, row: { series, line, name, cost, change, step }, isTicked, isSelected, onTick, onEmphasis, onSelect, onStep }: BenchmarkRowProps) {
  const { benchmark } = series;
  return (
    <tr data-benchmark={benchmark} class={isSelected ? "selected" : ""} onPointerEnter={() => onEmphasis(benchmark)} onPointerLeave={() => onEmphasis(-1)}>
      <td>
        <input type="checkbox" aria-label={`Draw ${name}`} checked={isTicked} onChange={(event) => onTick(event.currentTarget.checked)} />
      </td>
      <th scope="row">
        <button class="link name" aria-pressed={isSelected} onClick={() => onSelect(benchmark)}>
          <PathName name={name} />
        </button>
      </th>
      <td class="figure">{cost === null ? "no value" : compact(cost)}</td>
      <td class="figure" data-tone={change === null ? undefined : tone(change, payload.better)}>
        {change === null ? "" : signedShare(change)}
      </td>
      <td data-tone={step === null ? undefined : tone(step.change, payload.better)}>
        {step !== null && (
          <button class="link" onClick={() => onStep(benchmark, step)}>
            {changeInWords(payload, step)}
          </button>
        )}
      </td>
      <td>
        <Sparkline series={series} step={step} color={isTicked ? line.color : "var(--dim)"} />
      </td>
    </tr>
  );
}

function row(payload: Payload, series: Series, line: Line): Row {
  const { better } = payload;
  return {
    series,
    line,
    name: payload.benchmarks[series.benchmark]!,
    cost: lastValue(series),
    change: wholeChange(series),
    step: worstStep(series, better),
    regressed: series.changes.some(({ change }) => isWorse(change, better)),
    improved: series.changes.some(({ change }) => !isWorse(change, better)),
  };
}

function passes(row: Row, filter: Filter): boolean {
  return filter === "all" || row[filter];
}

/** Of changes the worst is the greatest; one that is not known stands with those of nothing. */
function compare(a: Row, b: Row, column: Column, better: Payload["better"]): number {
  if (column === "name") return a.name.localeCompare(b.name);
  if (column === "cost") return (a.cost ?? -1) - (b.cost ?? -1);
  if (column === "change") return badness((a.change ?? 0) - (b.change ?? 0), better);
  return badness((a.step?.change ?? 0) - (b.step?.change ?? 0), better);
}

function tone(change: number, better: Payload["better"]): "slower" | "faster" | "same" {
  // As the numbers are written: what rounds to nothing has no colour.
  if (signedShare(change) === signedShare(0)) return "same";
  return toneOf(change, better);
}
