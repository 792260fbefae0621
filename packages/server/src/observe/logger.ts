import pino from 'pino'
import { fitLine, keepEscapes } from './log-line.ts'

/** Writes JSON lines to standard error, or readable lines on a terminal. Standard output is for results. */
export async function createLogger(level: string, isTerminal: boolean): Promise<pino.Logger> {
  if (!isTerminal) return pino({ level }, through(fitLine, pino.destination({ dest: 2, sync: true })))
  const { default: pretty } = await import('pino-pretty')
  const terminal = pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' })
  return pino(
    { level },
    through((line) => keepEscapes(fitLine(line)), terminal),
  )
}

function through(
  change: (line: string) => string,
  destination: { write(text: string): unknown },
): pino.DestinationStream {
  return { write: (line) => destination.write(`${change(line.trimEnd())}\n`) }
}
