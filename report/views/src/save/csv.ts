// Tables as CSV (RFC 4180), safe to open in a spreadsheet.

/** A number is written as it is, a text so that no spreadsheet runs it; null is an empty cell. */
export type Cell = string | number | null;

export function csv(head: string[], rows: Iterable<Cell[]>): string {
  let text = line(head);
  for (const row of rows) text += line(row);
  return text;
}

function line(cells: Cell[]): string {
  return `${cells.map(cell).join(",")}\n`;
}

function cell(value: Cell): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = harmless(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets take a cell that begins like this for a formula; behind an apostrophe it is text. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
}
