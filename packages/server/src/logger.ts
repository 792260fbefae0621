import pino from 'pino'
import { fitLine, keepEscapes } from './log-line.ts'

/** JSON lines on standard error, or readable ones when a person looks at it. Standard output is for answers. */
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
