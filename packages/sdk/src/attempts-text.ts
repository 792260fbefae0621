import type { SmtpAttempt } from './wire.ts'

const ATTEMPTS_SHOWN = 10

const ENDINGS: Record<Exclude<SmtpAttempt['outcome'], 'refused'>, string> = {
  accepted: 'accepted',
  cut: 'the connection was cut by a scenario',
  closed: 'the connection was closed by the client',
  abandoned: 'given up by the client',
  'timed-out': 'the client was too slow',
  'shut-down': 'the server was stopped',
}

/**
 * What a sender tried, in order of time, such as `3 tries, refused 451, 451, then the connection was closed by the client`. Null if
 * every try became a message.
 */
export function describeAttempts(attempts: SmtpAttempt[]): string | null {
  if (attempts.every(({ messageId }) => messageId !== null)) return null
  const shown = attempts.slice(-ATTEMPTS_SHOWN)
  const endings: string[] = []
  for (const [index, { outcome, replies }] of shown.entries()) {
    const code = String(replies.at(-1)?.code ?? '')
    if (outcome !== 'refused') endings.push(ENDINGS[outcome])
    else if (shown[index - 1]?.outcome === 'refused') endings.push(`${endings.pop()}, ${code}`)
    else endings.push(`refused ${code}`)
  }
  const count = attempts.length === 1 ? '1 try' : `${attempts.length} tries`
  const last = shown.length < attempts.length ? `, the last ${shown.length}` : ''
  return `${count}${last}, ${endings.join(', then ')}`
}
