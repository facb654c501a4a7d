// Where rows and columns of the matrix lie, and which of them are in the window: only those are rendered.

export interface Layout {
  nameWidth: number;
  headHeight: number;
  rowHeight: number;
  /** Width of a glyph's cell, the same everywhere (M4 and M5 need it constant). */
  cellWidth: number;
  /** Left edges, one more than there are columns: the last is the whole width. */
  left: number[];
  /** Of every row: all columns, or the window where that is wider. */
  width: number;
  rotated: boolean;
  /** Whether names leave room for shares beside them. */
  hasShares: boolean;
}

export const ROW = 20;
const TALL_ROW = 44;
export const TIMELINE = 150;
const NARROWEST = 30;
const WIDEST = 96;
const TALLEST_HEAD = 120;
/** Of a 12 px label. */
const CHARACTER = 7;
/** Characters that a label has at most where it stands upright. */
export const LONGEST_LABEL = Math.floor((TALLEST_HEAD - 8) / CHARACTER);
/** Narrower names have nothing beside them. */
const NARROW_NAME = 180;
/** Rows and columns rendered beyond the window's edge. */
const SPARE = 3;

export function layoutOf(width: number, labels: string[], expanded: ReadonlySet<number>, tall: boolean, nameWidth = nameWidthIn(width)): Layout {
  const room = width - nameWidth - expanded.size * TIMELINE;
  const cellWidth = Math.min(WIDEST, Math.max(NARROWEST, Math.floor(room / Math.max(1, labels.length))));
  const longest = Math.max(0, ...labels.map((label) => label.length)) * CHARACTER;
  const rotated = longest + 8 > cellWidth;
  const left = [nameWidth];
  labels.forEach((_, column) => left.push(left[column]! + cellWidth + (expanded.has(column) ? TIMELINE : 0)));
  return {
    nameWidth,
    cellWidth,
    left,
    width: Math.max(left.at(-1)!, width),
    rotated,
    hasShares: nameWidth > NARROW_NAME,
    headHeight: rotated ? Math.min(TALLEST_HEAD, longest + 24) : 26,
    rowHeight: tall ? TALL_ROW : ROW,
  };
}

/** Names leave most of the window to the versions. */
function nameWidthIn(width: number): number {
  return Math.round(Math.min(420, Math.max(NARROW_NAME, width * 0.26)));
}

/** The part of a layout that has the columns from `first` to before `end` alone. */
export function partOf(layout: Layout, first: number, end: number): Layout {
  const shift = layout.left[first]! - layout.nameWidth;
  const left = layout.left.map((edge) => edge - shift);
  return { ...layout, left, width: left[end]! };
}

/** Half-open ranges of rows and columns to render. */
export function inWindow(layout: Layout, rows: number, scroll: { left: number; top: number }, size: { width: number; height: number }) {
  const { left, nameWidth, rowHeight } = layout;
  const columns = left.length - 1;
  let firstColumn = 0;
  while (firstColumn < columns && left[firstColumn + 1]! < scroll.left + nameWidth) firstColumn++;
  let endColumn = firstColumn;
  while (endColumn < columns && left[endColumn]! < scroll.left + size.width) endColumn++;
  return {
    firstRow: Math.max(0, Math.floor(scroll.top / rowHeight) - SPARE),
    endRow: Math.min(rows, Math.ceil((scroll.top + size.height) / rowHeight) + SPARE),
    firstColumn: Math.max(0, firstColumn - SPARE),
    endColumn: Math.min(columns, endColumn + SPARE),
  };
}
