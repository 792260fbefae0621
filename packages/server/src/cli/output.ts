import type { Command } from 'commander'
import { ConfigError } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { describeFailure } from './failure.ts'
import { failureText } from './failure-text.ts'
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

/** A remark on standard error: a sentence on a terminal, else JSON like errors. */
export function note(remark: { code: string; message: string } & Record<string, string>): void {
  console.error(process.stderr.isTTY ? safeLines(remark.message) : jsonText({ note: remark }))
}

/** Reports an error on standard error and sets the exit code. `command` is the one that failed. */
export function fail(error: unknown, command: Command | null): void {
  const message = failureText(error, command)
  const { exitCode, ...failure } = describeFailure(error)
  process.exitCode = exitCode
  if (process.stderr.isTTY || error instanceof ConfigError) console.error(safeLines(message))
  else console.error(jsonText({ error: { message, ...failure } }))
}

/** Escapes characters that a terminal could interpret, in JSON notation, so that nothing is lost. */
export function jsonText(value: object): string {
  return JSON.stringify(value, withIsoTime).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  )
}

/** In our own records, a time is a number of milliseconds in a field whose name ends in `At`. */
function withIsoTime(name: string, value: unknown): unknown {
  return typeof value === 'number' && name.endsWith('At') ? new Date(value).toISOString() : value
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
