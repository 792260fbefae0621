import { ConfigError } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { describeFailure } from './failure.ts'
import { safeLines } from './terminal-text.ts'

/** `--json`, or `--json <fields>`: only these fields, separated by commas. */
export type JsonOption = { json?: boolean | string | undefined }

/** Prints text on a terminal, and JSON otherwise or with --json. */
export function print(result: object, lines: string[], options: JsonOption): void {
  if (wantsJson(options)) printJson(result, options)
  else for (const line of lines) console.log(safeLines(line))
}

export function wantsJson({ json }: JsonOption): boolean {
  return json === undefined ? !process.stdout.isTTY : json !== false
}

export function printJson(result: object, { json }: JsonOption): void {
  console.log(jsonText(typeof json === 'string' ? pick(result, json.split(',')) : result))
}

/** Reports an error on standard error and sets the exit code. */
export function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  const { exitCode, ...failure } = describeFailure(error)
  process.exitCode = exitCode
  if (process.stderr.isTTY || error instanceof ConfigError) console.error(safeLines(message))
  else console.error(jsonText({ error: { message, ...failure } }))
}

/** Escapes characters that a terminal could interpret, in JSON notation, so that nothing is lost. */
export function jsonText(value: object): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  )
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** Selects fields; in a list, of each entry. */
function pick(value: object, names: string[]): object {
  if (Array.isArray(value)) return value.map((entry: object) => pick(entry, names))
  const known = new Map(Object.entries(value))
  const wanted = names.map((name) => name.trim())
  const unknown = wanted.find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw new AppError(
      'validation_failed',
      `--json: unknown field ${unknown}. Available: ${[...known.keys()].join(', ')}.`,
    )
  }
  return Object.fromEntries(wanted.map((name) => [name, known.get(name)]))
}
