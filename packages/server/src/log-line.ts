/** What one line may hold; log services cut or drop longer ones. */
const LINE_CHARACTERS_MAX = 8 * 1024

/** A line of JSON as it is logged: not too long, and nothing that a stranger wrote in it turns the text around. */
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

/** For people: what JSON has escaped stays so when the line is read and shown, but for the ends of lines and tabs. */
export function keepEscapes(line: string): string {
  return line.replace(/\\(?:u[\da-f]{4}|.)/gi, (escaped) => (/^\\["\\/nt]/.test(escaped) ? escaped : `\\${escaped}`))
}
