import pino from 'pino'
import { fitLine } from './log-line.ts'
import { terminalLine } from './terminal-line.ts'

/** Writes JSON lines to standard error, or readable lines on a terminal. Standard output is for results. */
export function createLogger(level: string, isTerminal: boolean): pino.Logger {
  const hasColors = process.stderr.isTTY && process.stderr.hasColors()
  const format = isTerminal ? (line: string) => terminalLine(fitLine(line), hasColors) : fitLine
  const output = pino.destination({ dest: 2, sync: true })
  return pino({ level }, { write: (line) => output.write(`${format(line.trimEnd())}\n`) })
}
