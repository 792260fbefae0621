import type { Log } from './log.ts'

type Level = keyof Log

/** What one line may hold; log services cut or drop longer ones. */
const LINE_CHARACTERS_MAX = 8 * 1024

/** JSON lines on the console, where there is no standard error. */
export function createConsoleLog(): Log {
  const write = (level: Level) => (facts: object, message: string) => console[level](toLine(level, facts, message))
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

function toLine(level: Level, facts: object, message: string): string {
  const head = { level, time: new Date().toISOString() }
  const line = JSON.stringify({ ...head, ...facts, msg: message }, showError)
  if (line.length <= LINE_CHARACTERS_MAX) return line
  return JSON.stringify({ ...head, msg: message, cut: line.slice(0, LINE_CHARACTERS_MAX / 2) })
}

// The fields of an error are not enumerable, so JSON would show none.
function showError(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { type: name, message, stack, cause }
}
