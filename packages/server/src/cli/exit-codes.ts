import type { Command } from 'commander'
import { EXIT } from './failure.ts'

const INTERRUPTED = 130

const CODES: [number, string][] = [
  [0, 'it is done'],
  [EXIT.failure, 'it failed; standard error says why'],
  [EXIT.usage, 'the command line is not valid'],
  [EXIT.timeout, 'no message matched in time'],
  [EXIT.auth, 'the API key is missing, not known, or not allowed to do this'],
  [EXIT.unreachable, 'the server cannot be reached'],
  [EXIT.config, 'the settings of a server program are not valid'],
  [INTERRUPTED, 'interrupted, by Ctrl+C'],
]

const TEXT = ['Exit codes:', ...CODES.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`), ''].join(
  '\n',
)

/** A page of the help: `mailhatch help exit-codes`. */
export function addExitCodes(program: Command): void {
  program
    .command('exit-codes', { hidden: true })
    .configureHelp({ formatHelp: () => TEXT })
    .action(() => console.log(TEXT.trimEnd()))
}
