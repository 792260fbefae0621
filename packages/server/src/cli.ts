import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { EXIT } from './cli/failure.ts'
import { fail } from './cli/output.ts'
import { createProgram } from './cli/program.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Without arguments, start the server. */
const words = process.argv.slice(2)

try {
  await createProgram(version).parseAsync(words.length === 0 ? ['serve'] : words, { from: 'user' })
} catch (error) {
  // Commander has already printed the usage error.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
  else fail(error)
  // A failed start may leave sockets or timers open, so exit explicitly.
  process.exit()
}
