import { cutText } from '../domain/cut-text.ts'
import { safeText } from './terminal-text.ts'

const GAP = '  '
/** Longer values are cut, so that columns align. */
const CELL_WIDTH_MAX = 48

/** Rows as aligned columns. Values are untrusted; the first column, which is the id, is not cut. */
export function tableLines(rows: string[][]): string[] {
  const safe = rows.map((row) => row.map((cell, column) => cutCell(safeText(cell), column)))
  const widths = (safe[0] ?? []).map((_, column) => longest(safe.map((row) => row[column]!)))
  return safe.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join(GAP)
      .trimEnd(),
  )
}

/** The length of the longest text. `Math.max(...)` fails with more than 120,000 arguments. */
export function longest(texts: string[]): number {
  return texts.reduce((length, text) => Math.max(length, text.length), 0)
}

function cutCell(text: string, column: number): string {
  return column === 0 ? text : cut(text, CELL_WIDTH_MAX)
}

export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${cutText(text, length - 1)}…`
}
