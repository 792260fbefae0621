import type { ScenarioStage, SmtpAttempt, SmtpAttemptReply } from '@mailhatch/sdk'
import type { Recipient } from '../../domain/address.ts'
import type { EndedAttempt } from '../../domain/attempt.ts'
import * as replies from './replies.ts'

/** Longer than nearly all host names. */
const HELO_CHARACTERS_MAX = 128

export type AttemptOutcome = SmtpAttempt['outcome']

/** What all attempts of a connection have in common. */
export type AttemptConnection = Pick<
  SmtpAttempt,
  'connection' | 'remoteAddress' | 'helo' | 'tls' | 'authenticated' | 'from'
>

/** A recipient, and when the client named it. */
export type NamedRecipient = { recipient: Recipient; startedAt: number }

/** How a transaction ended. */
type TransactionEnd = {
  outcome: AttemptOutcome
  stage: ScenarioStage
  /** The reply with which it ended; null if there was none. */
  reply: string | null
  size: number
}

/** How an attempt ended that came no further than RCPT. */
export type RcptEnd = Pick<TransactionEnd, 'outcome' | 'reply'>

/** A recipient about whom the transaction ended before another reply to RCPT than this one. */
export function attemptAtRcpt(
  connection: AttemptConnection,
  named: NamedRecipient,
  { outcome, reply }: RcptEnd,
): EndedAttempt {
  const given = reply === null ? [] : [describeReply('rcpt', reply)]
  return describe(connection, named, { outcome, stage: 'rcpt', replies: given, size: 0, messageId: null })
}

/** Recipients who were accepted at RCPT. `messageIds` are in the same order, and null if the mail was not stored. */
export function attemptsOf(
  connection: AttemptConnection,
  recipients: NamedRecipient[],
  { outcome, stage, reply, size }: TransactionEnd,
  { isDataAccepted, messageIds }: { isDataAccepted: boolean; messageIds: string[] | null },
): EndedAttempt[] {
  const given = [describeReply('rcpt', replies.RECIPIENT_OK)]
  if (isDataAccepted) given.push(describeReply('data', replies.SEND_DATA))
  if (reply !== null) given.push(describeReply(stage, reply))
  return recipients.map((named, index) =>
    describe(connection, named, { outcome, stage, replies: given, size, messageId: messageIds?.[index] ?? null }),
  )
}

const TIME_LIMITS = [replies.TIMED_OUT, replies.TOO_SLOW, replies.SESSION_TOO_LONG]

/** How a transaction ends when the server closes the connection with this reply. */
export function outcomeOfCutOff(reply: string): AttemptOutcome {
  if (reply === replies.SHUTTING_DOWN) return 'shut-down'
  return TIME_LIMITS.includes(reply) ? 'timed-out' : 'refused'
}

function describe(
  { helo, ...connection }: AttemptConnection,
  { recipient, startedAt }: NamedRecipient,
  ended: Pick<EndedAttempt, 'outcome' | 'stage' | 'replies' | 'size' | 'messageId'>,
): EndedAttempt {
  return {
    to: recipient.address,
    startedAt,
    endedAt: Date.now(),
    ...ended,
    ...connection,
    helo: helo?.slice(0, HELO_CHARACTERS_MAX) ?? null,
  }
}

function describeReply(stage: ScenarioStage, reply: string): SmtpAttemptReply {
  return { stage, code: replies.replyCode(reply), text: reply.slice(4).trimEnd() }
}
