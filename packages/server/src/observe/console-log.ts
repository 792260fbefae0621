import { fitLine } from './log-line.ts'
import type { Log } from './log.ts'

type Level = keyof Log

/** Writes JSON lines to the console, for platforms without a standard error stream. */
export function createConsoleLog(): Log {
  const write = (level: Level) => (facts: object, message: string) => console[level](toLine(level, facts, message))
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

function toLine(level: Level, facts: object, message: string): string {
  return fitLine(JSON.stringify({ level, time: new Date().toISOString(), ...facts, msg: message }, showError))
}

// The fields of an Error are not enumerable, so JSON would omit them.
function showError(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { type: name, message, stack, cause }
}
