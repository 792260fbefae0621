import type { EndedAttempt } from '../../domain/attempt.ts'
import { attemptAtRcpt, attemptsOf } from './attempts.ts'
import type { AttemptConnection, AttemptOutcome, NamedRecipient, RcptEnd } from './attempts.ts'
import type { SessionState, Transaction } from './transaction.ts'

/** Reports for the ledger what became of each recipient of a session. */
export class AttemptRecorder {
  #onAttempts: ((attempts: EndedAttempt[]) => void) | null
  #state: SessionState
  #connection: string | null = null

  /** `onAttempts` is null if attempts are not recorded. */
  constructor(onAttempts: ((attempts: EndedAttempt[]) => void) | null, state: SessionState) {
    this.#onAttempts = onAttempts
    this.#state = state
  }

  /** Records what became of the recipients who were not refused before. Only the first call has an effect. */
  record(transaction: Transaction, outcome: AttemptOutcome, reply: string | null = null): void {
    const { recipients, startedAt, pending, stage, mail, sizeBytes } = transaction
    if (this.#onAttempts === null || transaction.isRecorded) return
    if (recipients.length === 0 && pending === null) return
    transaction.isRecorded = true
    const connection = this.#describeConnection(transaction)
    const named = recipients.map((recipient, index) => ({ recipient, startedAt: startedAt[index]! }))
    const ended = { outcome, stage, reply, size: mail?.readBytes ?? sizeBytes }
    const attempts = attemptsOf(connection, named, ended, transaction)
    if (pending !== null) attempts.push(attemptAtRcpt(connection, pending, { outcome, reply }))
    this.#onAttempts(attempts)
  }

  /** A refusal in reply to RCPT. The client may have closed the connection before it; then its end is recorded already. */
  recordRefusal(transaction: Transaction, named: NamedRecipient, reply: string): void {
    if (!transaction.isRecorded) this.#recordAtRcpt(transaction, named, { outcome: 'refused', reply })
  }

  /** A recipient that was sent before the client closed the connection, and is read after its end was recorded. */
  recordLate(transaction: Transaction, named: NamedRecipient): void {
    if (transaction.isRecorded) this.#recordAtRcpt(transaction, named, { outcome: 'closed', reply: null })
  }

  #recordAtRcpt(transaction: Transaction, named: NamedRecipient, ended: RcptEnd): void {
    this.#onAttempts?.([attemptAtRcpt(this.#describeConnection(transaction), named, ended)])
  }

  #describeConnection({ mailFrom }: Transaction): AttemptConnection {
    this.#connection ??= Math.random().toString(36).slice(2)
    const { remoteAddress, helo, tls, username } = this.#state
    return { connection: this.#connection, remoteAddress, helo, tls, authenticated: username !== null, from: mailFrom }
  }
}
