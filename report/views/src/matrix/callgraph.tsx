// The dynamic call graph of the selected cell in full, with numbers of calls: callers left, callees right; blue added,
// gray and dashed deleted, the text's colour kept (M9).

import { delta, integer } from "../format";
import { fullName, text } from "../names";
import type { Payload } from "../payload";
import { labelOf } from "./cell";
import { type CallGraph, edgeChange, type MatrixModel, type Neighbour } from "./model";
import { areSeveral, isStep, type Steps } from "./steps";

interface CallGraphProps {
  payload: Payload;
  model: MatrixModel;
  graph: CallGraph;
  row: number;
  steps: Steps;
  /** Whether the tabs below show this cell's pair. */
  hasPair: boolean;
  onRow: (row: number) => void;
  /** Another earlier version. */
  onBase: (base: number) => void;
  onOpen: () => void;
  onClose: () => void;
}

const LINE = 20;
const REACH = 72;
const WORDS = { added: "new", deleted: "no longer", kept: "" };

export function CallGraphPanel({ payload, model, graph, row, steps, hasPair, onRow, onBase, onOpen, onClose }: CallGraphProps) {
  const { callers, callees, inside, first } = graph;
  const { base, last } = steps;
  const lines = Math.max(callers.length, callees.length, 2);
  const height = lines * LINE;
  const heading = `Calls of ${nameOf(payload, model, row)} in ${labelOf(payload, model, last)}`;
  const title = first ? heading : `${heading} against ${labelOf(payload, model, base)}`;
  const side = (neighbours: Neighbour[], which: "caller" | "callee") => (
    <ul class={`side ${which}`} aria-label={which === "caller" ? "Callers" : "Callees"}>
      {neighbours.length === 0 && <li class="dim none">{which === "caller" ? "no callers outside" : "no callees outside"}</li>}
      {neighbours.map((each) => {
        const change = edgeChange(each, first);
        const name = neighbourName(payload, model, each);
        return (
          <li key={`${each.row} ${each.function}`} data-edge={change} data-before={each.before} data-after={each.after} data-neighbour={name}>
            <button class="link" disabled={each.row < 0} onClick={() => onRow(each.row)} title={name}>
              {name}
            </button>
            <span class="calls">{callsInWords(each, first)}</span>
          </li>
        );
      })}
    </ul>
  );
  const edges = (neighbours: Neighbour[], which: "caller" | "callee") => {
    const top = (height - neighbours.length * LINE) / 2;
    return (
      <svg class="edges" width={REACH} height={height} aria-hidden="true">
        {neighbours.map((each, at) => {
          const [outer, inner] = [top + (at + 0.5) * LINE, height / 2];
          const [from, to] = which === "caller" ? [outer, inner] : [inner, outer];
          return (
            <g key={at} data-edge={edgeChange(each, first)}>
              <path class="arc" d={`M0 ${from}C${REACH / 2} ${from} ${REACH / 2} ${to} ${REACH - 6} ${to}`} />
              <path class="head" d={`M${REACH} ${to}l-6 -3.5v7z`} />
            </g>
          );
        })}
      </svg>
    );
  };
  return (
    <section class="callgraph" aria-label={title} data-row={row} data-base={base} data-column={last}>
      <header class="bar">
        <h3>{heading}</h3>
        {!first && (
          <label>
            <span class="dim">against</span>{" "}
            <select value={String(base)} onChange={(event) => onBase(Number(event.currentTarget.value))}>
              {model.matrix.columns.slice(0, last).map((_, column) => (
                <option key={column} value={String(column)}>
                  {labelOf(payload, model, column)}
                </option>
              ))}
            </select>
          </label>
        )}
        <span class="dim keyed">
          <span data-edge="added">━ added</span> <span data-edge="deleted">╍ deleted</span> <span data-edge="kept">━ kept</span>
        </span>
        <span class="spacer" />
        {hasPair && <button onClick={onOpen}>Open the blueprint</button>}
        <button onClick={onClose}>Close</button>
      </header>
      {!first && <Together {...{ payload, model, row, steps }} />}
      <div class="graph" tabIndex={0} role="group" aria-label="Callers and callees">
        {side(callers, "caller")}
        {edges(callers, "caller")}
        <div class="centre">
          <strong>{nameOf(payload, model, row)}</strong>
          {(inside.before > 0 || inside.after > 0) && <span class="dim">within: {callsInWords(inside, first)}</span>}
        </div>
        {edges(callees, "callee")}
        {side(callees, "callee")}
      </div>
    </section>
  );
}

/** The difference of the row's cost, and in how many versions its source changed. */
function Together({ payload, model, row, steps }: { payload: Payload; model: MatrixModel; row: number; steps: Steps }) {
  const { cost, modified } = model.matrix;
  const changing = modified[row]!.filter((count, column) => count > 0 && isStep(steps, column)).length;
  return (
    <p class="dim" data-field="together">
      {movement(cost[row]![steps.base]!, cost[row]![steps.last]!, payload.unit)}
      {areSeveral(steps) && `, source ${changing === 0 ? "unchanged" : `changed in ${changing} of ${steps.last - steps.base} versions`}`}
    </p>
  );
}

function movement(before: number, after: number, unit: string): string {
  if (before < 0) return after < 0 ? "absent in both" : "new";
  if (after < 0) return "gone";
  return before === after ? "no change" : delta(before, after, unit);
}

/** "12 calls", "12 → 14 calls", "new: 14 calls", "no longer: 12 calls". */
function callsInWords(calls: { before: number; after: number }, first: boolean): string {
  const { before, after } = calls;
  const words = WORDS[edgeChange({ row: -1, function: -1, before, after }, first)];
  const plural = (count: number) => `${integer(count)} call${count === 1 ? "" : "s"}`;
  if (words) return `${words}: ${plural(Math.max(before, after))}`;
  return first || before === after ? plural(after) : `${integer(before)} → ${plural(after)}`;
}

function neighbourName(payload: Payload, model: MatrixModel, { row, function: func }: Neighbour): string {
  return row >= 0 ? nameOf(payload, model, row) : fullName(payload, func);
}

/** A function with its type, as code would call it; a container by its own name. */
export function nameOf(payload: Payload, model: MatrixModel, row: number): string {
  const { rows } = model.matrix;
  const name = text(payload, rows.name[row]!);
  const parent = rows.parent[row]!;
  return parent >= 0 && rows.kind[parent] === "type" ? `${text(payload, rows.name[parent]!)}::${name}` : name;
}
