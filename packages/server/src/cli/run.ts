import { CommanderError, type Command } from 'commander'
import { withCommand } from './default-command.ts'
import { EXIT } from './failure.ts'
import { fail } from './output.ts'
import { createProgram } from './program.ts'

/** Commander prints the whole help for `help nonsense`. Without the word `help`, it says that the command is unknown. */
function withoutHelp(program: Command, words: string[]): string[] {
  let group = program
  let index = 0
  for (let next = named(group, words[0]); next; next = named(group, words[++index])) group = next
  // After a command without subcommands, the word is an argument: there may be a mailbox `help`.
  const isHelp = words[index] === 'help' && group.commands.length > 0
  const name = words[index + 1]
  const isUnknown = name !== undefined && name !== 'help' && !name.startsWith('-') && !named(group, name)
  return isHelp && isUnknown ? words.toSpliced(index, 1) : words
}

function named(parent: Command, name: string | undefined): Command | undefined {
  return parent.commands.find((command) => command.name() === name)
}

/** Runs a command line. Reports failures on standard error and sets the exit code. False if it failed. */
export async function runCommandLine(version: string, words: string[]): Promise<boolean> {
  let running: Command | null = null
  const program = createProgram(version, words).hook('preAction', (_, command) => void (running = command))
  try {
    await program.parseAsync(withoutHelp(program, withCommand(words)), { from: 'user' })
    return true
  } catch (error) {
    // Commander has already printed the usage error.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
    else fail(error, running)
    return false
  }
}
