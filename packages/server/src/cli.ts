import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { EXIT } from './cli/failure.ts'
import { fail } from './cli/output.ts'
import { createProgram } from './cli/program.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Without any word, what most people want: the server. */
const words = process.argv.slice(2)

try {
  await createProgram(version).parseAsync(words.length === 0 ? ['serve'] : words, { from: 'user' })
} catch (error) {
  // Commander has already said what was wrong with the words it was given.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
  else fail(error)
  // A program that could not start whole may have started in part.
  process.exit()
}
