import type { MessageSummary } from '@mailhatch/sdk'
import { safeText } from './terminal-text.ts'
import type { ForwardAnswer } from './forward.ts'

export type ListenReport = {
  ready(listening: { secret: string; target: string }): void
  event(message: MessageSummary): void
  answer(message: MessageSummary, answer: Exclude<ForwardAnswer, 'away'>): void
  /** Called once per message, however often it is retried. */
  away(message: MessageSummary, who: 'target' | 'server'): void
  gone(message: MessageSummary): void
}

/** Text for a terminal. */
export function reportLines(print: (line: string) => void, now: () => Date): ListenReport {
  const write = (text: string) => print(`${now().toLocaleTimeString('en-GB')}  ${text}`)
  return {
    ready({ secret, target }) {
      print(`Ready! Signing secret: ${secret}`)
      print(`Forwarding mail to ${safeText(target)}. Press Ctrl+C to stop.`)
    },
    event: ({ to, from, subject }) =>
      write(`--> email.received to ${safeText(to)} from ${safeText(from)}: ${safeText(subject)}`),
    answer: (_message, answer) =>
      write(answer === 'late' ? '<-- timed out' : `<-- ${answer.status} (${answer.latencyMs} ms)`),
    away: (_message, who) => write(`The ${who} is unreachable. Retrying until it responds.`),
    gone: () => write('The message was deleted before it was forwarded. Skipped.'),
  }
}

/** One JSON object per line, for programs. */
export function reportJson(print: (line: string) => void): ListenReport {
  const write = (type: string, fields: object) => print(JSON.stringify({ type, ...fields }))
  return {
    ready: ({ secret, target }) => write('ready', { secret, forwardTo: target }),
    event: ({ id, mailboxWithTag, tag, from, to, subject, receivedAt }) =>
      write('event', { event: 'email.received', id, mailboxWithTag, tag, from, to, subject, receivedAt }),
    answer: ({ id }, answer) => write('answer', answer === 'late' ? { id, status: null } : { id, ...answer }),
    away: ({ id }, who) => write('away', { id, who }),
    gone: ({ id }) => write('gone', { id }),
  }
}
