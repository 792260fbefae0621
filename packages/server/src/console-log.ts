import { fitLine } from './log-line.ts'
import type { Log } from './log.ts'

type Level = keyof Log

/** JSON lines on the console, where there is no standard error. */
export function createConsoleLog(): Log {
  const write = (level: Level) => (facts: object, message: string) => console[level](toLine(level, facts, message))
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

function toLine(level: Level, facts: object, message: string): string {
  return fitLine(JSON.stringify({ level, time: new Date().toISOString(), ...facts, msg: message }, showError))
}

// The fields of an error are not enumerable, so JSON would show none.
function showError(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { type: name, message, stack, cause }
}
