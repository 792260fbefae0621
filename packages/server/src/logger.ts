import pino from 'pino'
import pretty from 'pino-pretty'

/** JSON lines on standard error, or readable ones when a person looks at it. Standard output is for answers. */
export function createLogger(level: string, isTerminal: boolean): pino.Logger {
  if (!isTerminal) return pino({ level }, pino.destination({ dest: 2, sync: true }))
  return pino({ level }, pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' }))
}
