import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { withCommand } from './cli/default-command.ts'
import { EXIT } from './cli/failure.ts'
import { fail } from './cli/output.ts'
import { createProgram } from './cli/program.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

try {
  await createProgram(version).parseAsync(withCommand(process.argv.slice(2)), { from: 'user' })
} catch (error) {
  // Commander has already printed the usage error.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
  else fail(error)
  // A failed start may leave sockets or timers open, so exit explicitly.
  process.exit()
}
