// Rows of both sides and their difference, below the sides' labels: what the tooltips of the blueprint list.

import type { DecodedComparison } from "../decode";

export interface DifferenceRow {
  id: string;
  words: string;
  cells: [before: string, after: string, difference: string];
}

export function DifferenceTable({ comparison, rows }: { comparison: DecodedComparison; rows: DifferenceRow[] }) {
  return (
    <table>
      <thead>
        <tr>
          <td />
          <th scope="col">{comparison.before.label}</th>
          <th scope="col">{comparison.after.label}</th>
          <th scope="col">difference</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, words, cells }) => (
          <tr key={id} data-row={id}>
            <th scope="row">{words}</th>
            {cells.map((cell, at) => (
              <td key={at}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
