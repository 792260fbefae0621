import { stripVTControlCharacters } from 'node:util'
import { ConfigError } from '../config.ts'
import { AppError } from '../domain/errors.ts'

export const EXIT = { failure: 1, usage: 2, config: 78 }

/** Text for a person at a terminal, JSON for a program that reads us. */
export function print(result: object, lines: string[], options: { json?: boolean | undefined }): void {
  const wantsJson = options.json ?? !process.stdout.isTTY
  if (wantsJson) console.log(JSON.stringify(result))
  else for (const line of lines) console.log(safeForTerminal(line))
}

/** Reports an error on standard error and sets the exit code. */
export function fail(error: unknown): void {
  process.exitCode = error instanceof ConfigError ? EXIT.config : EXIT.failure
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof AppError ? error.code : undefined
  if (process.stderr.isTTY || error instanceof ConfigError) console.error(safeForTerminal(message))
  else console.error(JSON.stringify({ error: { message, code } }))
}

/** Names come from strangers: nothing of them may move the cursor or turn the text around. */
function safeForTerminal(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? '\n' : ''))
}
