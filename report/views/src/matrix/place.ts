// A cell of the matrix, its names and heads included, and the identity of its element.

/** `row` -1: the column heads. `column` -1: the names. */
export interface Place {
  row: number;
  column: number;
}

export function idOf({ row, column }: Place): string {
  return `matrix-${row}-${column}`;
}
