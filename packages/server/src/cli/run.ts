import { CommanderError, type Command } from 'commander'
import { withCommand } from './default-command.ts'
import { EXIT } from './failure.ts'
import { fail } from './output.ts'
import { createProgram } from './program.ts'

/** Runs a command line. Reports failures on standard error and sets the exit code. False if it failed. */
export async function runCommandLine(version: string, words: string[]): Promise<boolean> {
  let running: Command | null = null
  const program = createProgram(version, words).hook('preAction', (_, command) => void (running = command))
  try {
    await program.parseAsync(withCommand(words), { from: 'user' })
    return true
  } catch (error) {
    // Commander has already printed the usage error.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
    else fail(error, running)
    return false
  }
}
