import type { MessageSummary } from '@mailhatch/sdk'
import { safeText } from './terminal-text.ts'
import type { ForwardAnswer } from './forward.ts'

export type ListenReport = {
  ready(listening: { secret: string; target: string }): void
  event(message: MessageSummary): void
  answer(message: MessageSummary, answer: Exclude<ForwardAnswer, 'away'>): void
  /** Said once for each message, however often it is tried. */
  away(message: MessageSummary, who: 'target' | 'server'): void
  gone(message: MessageSummary): void
}

/** For a person at a terminal. */
export function reportLines(print: (line: string) => void, now: () => Date): ListenReport {
  const say = (text: string) => print(`${now().toLocaleTimeString('en-GB')}  ${text}`)
  return {
    ready({ secret, target }) {
      print(`Ready! signing secret is ${secret}`)
      print(`Mail is forwarded to ${safeText(target)}. Stop with Ctrl+C.`)
    },
    event: ({ to, from, subject }) =>
      say(`--> email.received to ${safeText(to)} from ${safeText(from)}: ${safeText(subject)}`),
    answer: (_message, answer) =>
      say(answer === 'late' ? '<-- no answer in time' : `<-- ${answer.status} (${answer.latencyMs} ms)`),
    away: (_message, who) => say(`The ${who} cannot be reached; trying again until it can.`),
    gone: () => say('The message has been deleted meanwhile; it is left out.'),
  }
}

/** For a program: one JSON object a line. */
export function reportJson(print: (line: string) => void): ListenReport {
  const say = (type: string, fields: object) => print(JSON.stringify({ type, ...fields }))
  return {
    ready: ({ secret, target }) => say('ready', { secret, forwardTo: target }),
    event: ({ id, mailboxWithTag, tag, from, to, subject, receivedAt }) =>
      say('event', { event: 'email.received', id, mailboxWithTag, tag, from, to, subject, receivedAt }),
    answer: ({ id }, answer) => say('answer', answer === 'late' ? { id, status: null } : { id, ...answer }),
    away: ({ id }, who) => say('away', { id, who }),
    gone: ({ id }) => say('gone', { id }),
  }
}
