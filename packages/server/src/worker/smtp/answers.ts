import type { IncomingMail } from './incoming-mail.ts'
import type { SmtpRejection } from './rejection.ts'
import { describeRejection } from './rejection.ts'
import * as replies from './replies.ts'
import type { SessionLimits } from './session-limits.ts'
import type { SessionState } from './transaction.ts'

/** What to send, and how to read the bytes that follow. */
export type Step =
  | { next: 'command'; reply: string }
  | { next: 'response'; reply: string }
  | { next: 'tls'; reply: string }
  | { next: 'close'; reply: string }
  | { next: 'cut'; reply: '' }
  | { next: 'data'; reply: string; mail: IncomingMail }
  | { next: 'chunk'; reply: ''; mail: IncomingMail; chunkBytes: number; isLast: boolean }

/** As a script says: the connection ends without a reply. */
export const CUT: Step = { next: 'cut', reply: '' }

/** The refusal of a script, which is no error of the client. RFC 5321 (3.8): after 421, the server closes the connection. */
export function scriptedStep(reply: string): Step {
  return { next: reply.startsWith('421') ? 'close' : 'command', reply }
}

type Concerned = { from?: string; to?: string }

/** Makes steps of replies, within the limits of a session, and reports those that reject a mail. */
export class SmtpAnswers {
  #limits: SessionLimits
  #state: SessionState
  #onRejection: (rejection: SmtpRejection) => void

  constructor(limits: SessionLimits, state: SessionState, onRejection: (rejection: SmtpRejection) => void) {
    this.#limits = limits
    this.#state = state
    this.#onRejection = onRejection
  }

  give(reply: string, next: 'command' | 'response' | 'tls' | 'close' = 'command'): Step {
    if (isPermanent(reply) && this.#limits.tooManyErrors()) return { next: 'close', reply: replies.TOO_MANY_ERRORS }
    return { next, reply }
  }

  /** A reply that rejects a mail. It is reported as a rejection. */
  refuse(reply: string, concerned: Concerned = {}, next: 'command' | 'close' = 'command'): Step {
    this.report(reply, concerned)
    return this.give(reply, next)
  }

  report(reply: string, concerned: Concerned = {}): void {
    const { transaction, remoteAddress } = this.#state
    // Many clients send the mail after all its recipients were refused. That is the same mail once more.
    if (reply === replies.NO_RECIPIENTS && transaction?.hasRefused) return
    if (transaction && concerned.to !== undefined) transaction.hasRefused = true
    const from = transaction?.mailFrom ?? null
    this.#onRejection(describeRejection(reply, { remoteAddress, from, ...concerned }))
  }

  /** Reports one rejection per recipient, because each may belong to another team. */
  reportForAll(reply: string): void {
    const recipients = this.#state.transaction?.recipients ?? []
    if (recipients.length === 0) this.report(reply)
    for (const { address } of recipients) this.report(reply, { to: address })
  }
}

function isPermanent(reply: string): boolean {
  return reply.startsWith('5')
}
