import pino from 'pino'

/** JSON lines on standard error, or readable ones when a person looks at it. Standard output is for answers. */
export async function createLogger(level: string, isTerminal: boolean): Promise<pino.Logger> {
  if (!isTerminal) return pino({ level }, pino.destination({ dest: 2, sync: true }))
  const { default: pretty } = await import('pino-pretty')
  return pino({ level }, pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' }))
}
