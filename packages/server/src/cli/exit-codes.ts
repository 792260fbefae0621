import type { Command } from 'commander'
import { EXIT } from './failure.ts'

const INTERRUPTED = 130

const CODES: [number, string][] = [
  [0, 'success'],
  [EXIT.failure, 'failure; standard error says why'],
  [EXIT.usage, 'wrong usage: the command line, or a value in it, is not valid; nothing was done'],
  [EXIT.timeout, 'no message matched in time, fewer came than expected, or mail is still on its way'],
  [EXIT.auth, 'the API key is missing, unknown, or lacks permission'],
  [EXIT.unreachable, 'the server is unreachable'],
  [EXIT.config, 'the settings of a server program are not valid'],
  [INTERRUPTED, 'interrupted with Ctrl+C'],
]

const TEXT = ['Exit codes:', ...CODES.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`), ''].join(
  '\n',
)

/** Adds the help page `mailhatch help exit-codes`. */
export function addExitCodes(program: Command): void {
  program
    .command('exit-codes', { hidden: true })
    .configureHelp({ formatHelp: () => TEXT })
    .action(() => console.log(TEXT.trimEnd()))
}
