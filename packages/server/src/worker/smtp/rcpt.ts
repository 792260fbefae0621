import type { Recipient } from '../../domain/address.ts'
import { parseRecipient, splitLocalPart } from '../../domain/address.ts'
import type { MailPlan } from '../scripts.ts'
import type { SmtpAnswers, Step } from './answers.ts'
import { CUT, scriptedStep } from './answers.ts'
import type { AttemptRecorder } from './attempt-recorder.ts'
import type { NamedRecipient } from './attempts.ts'
import { parseRcpt } from './commands.ts'
import type { DialoguePorts } from './dialogue-ports.ts'
import type { ReplyDelay } from './holds.ts'
import * as replies from './replies.ts'
import type { SessionState, Transaction } from './transaction.ts'

export type RcptParts = {
  ports: Pick<DialoguePorts, 'offer' | 'limits' | 'allowedDomains' | 'scenarios'>
  state: SessionState
  answers: SmtpAnswers
  attempts: AttemptRecorder
  delay: ReplyDelay
}

/** The reply to RCPT, which a script of the recipient may delay or change. */
export function answerRcpt(parts: RcptParts, argument: string): Step | Promise<Step> {
  const { ports, answers, attempts } = parts
  const { transaction } = parts.state
  if (!transaction) return answers.refuse(replies.NO_TRANSACTION)
  if (transaction.mail) return answers.refuse(replies.CHUNKS_BEGUN)
  const path = parseRcpt(argument, ports.offer)
  if ('refusal' in path) return answers.refuse(path.refusal)
  const { recipientPathBytesMax, recipientsMax } = ports.limits
  const to = path.address
  const recipient = Buffer.byteLength(to) > recipientPathBytesMax ? null : parseRecipient(to)
  if (!recipient) return answers.refuse(lacksMailbox(to) ? replies.NO_MAILBOX : replies.BAD_RECIPIENT, { to })
  const named = { recipient, startedAt: Date.now() }
  attempts.recordLate(transaction, named)
  const { allowedDomains } = ports
  if (allowedDomains && !allowedDomains.has(recipient.domain))
    return refuseRecipient(parts, transaction, { named, reply: replies.DOMAIN_NOT_ALLOWED })
  if (transaction.recipients.some((known) => isSameMailbox(known, recipient))) return answers.give(replies.RECIPIENT_OK)
  if (transaction.recipients.length >= recipientsMax)
    return refuseRecipient(parts, transaction, { named, reply: replies.TOO_MANY_RECIPIENTS })
  // Before the reply, and before a script delays it.
  transaction.flight.add(recipient)
  const plan = ports.scenarios.scripts?.planFor(recipient) ?? null
  if (plan === null) return acceptRecipient(parts, transaction, named)
  transaction.pending = named
  return plan.then((plan) => answerAsPlanned(parts, transaction, { named, plan }))
}

async function answerAsPlanned(
  parts: RcptParts,
  transaction: Transaction,
  { named, plan }: { named: NamedRecipient; plan: MailPlan },
): Promise<Step> {
  const { action, teamId } = plan
  const isAtRcpt = 'at' in action && action.at === 'rcpt'
  if (isAtRcpt && action.do === 'cut') return CUT
  if (isAtRcpt && action.do === 'delay') await parts.delay.wait({ teamId, milliseconds: action.ms })
  transaction.pending = null
  if (isAtRcpt && action.do === 'reject') {
    parts.answers.report(action.reply, { to: named.recipient.address })
    transaction.hasRefusedByScript = true
    transaction.flight.remove(named.recipient)
    parts.attempts.recordRefusal(transaction, named, action.reply)
    return scriptedStep(action.reply)
  }
  if (!isAtRcpt && action.do !== 'accept') transaction.plans.push(plan)
  return acceptRecipient(parts, transaction, named)
}

function acceptRecipient(
  { answers }: Pick<RcptParts, 'answers'>,
  transaction: Transaction,
  { recipient, startedAt }: NamedRecipient,
): Step {
  transaction.recipients.push(recipient)
  transaction.startedAt.push(startedAt)
  return answers.give(replies.RECIPIENT_OK)
}

function refuseRecipient(
  { answers, attempts }: Pick<RcptParts, 'answers' | 'attempts'>,
  transaction: Transaction,
  { named, reply }: { named: NamedRecipient; reply: string },
): Step {
  const step = answers.refuse(reply, { to: named.recipient.address })
  attempts.recordRefusal(transaction, named, step.reply)
  return step
}

function lacksMailbox(address: string): boolean {
  const at = address.lastIndexOf('@')
  return at > 0 && splitLocalPart(address.slice(0, at)).mailbox === ''
}

function isSameMailbox(one: Recipient, other: Recipient): boolean {
  return one.mailboxWithTag === other.mailboxWithTag && one.domain === other.domain
}
