/** Log services cut or drop longer lines. */
const LINE_CHARACTERS_MAX = 8 * 1024

/** Limits the length of a JSON log line, and escapes characters that could reorder or hide text. */
export function fitLine(line: string): string {
  return cut(line).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escapeUnits)
}

function cut(line: string): string {
  if (line.length <= LINE_CHARACTERS_MAX) return line
  const { level, time, msg } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify({ level, time, msg, cut: line.slice(0, LINE_CHARACTERS_MAX / 2) })
}

function escapeUnits(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
}
