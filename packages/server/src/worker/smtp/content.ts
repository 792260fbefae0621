import type { MailPlan } from '../scripts.ts'
import type { SmtpAnswers, Step } from './answers.ts'
import { CUT } from './answers.ts'
import { parseBdat } from './commands.ts'
import type { DialoguePorts } from './dialogue-ports.ts'
import type { Holds, ReplyDelay } from './holds.ts'
import { IncomingMail } from './incoming-mail.ts'
import * as replies from './replies.ts'
import { SlowTransfer } from './slow-transfer.ts'
import type { SessionState, Transaction } from './transaction.ts'
import { planAt } from './transaction.ts'

export type ContentParts = {
  ports: DialoguePorts
  state: SessionState
  answers: SmtpAnswers
  delay: ReplyDelay
  /** Ends the transaction with the refusal of a script. */
  answerAsScripted: (reply: string) => Step
}

/** The reply to DATA. */
export function answerData(parts: ContentParts, argument: string): Step | Promise<Step> {
  const { ports, answers } = parts
  const { transaction } = parts.state
  if (argument !== '') return answers.give(replies.BAD_ARGUMENTS)
  if (!transaction) return answers.refuse(replies.NO_TRANSACTION)
  if (transaction.mail) return answers.refuse(replies.CHUNKS_BEGUN)
  if (transaction.isBinary) return answers.refuse(replies.BINARY_NEEDS_CHUNKS)
  if (transaction.recipients.length === 0) {
    // The client may have sent DATA before it knew of the refusal.
    return transaction.hasRefusedByScript ? NO_RECIPIENTS_BY_SCRIPT : answers.refuse(replies.NO_RECIPIENTS)
  }
  return beginContent(parts, transaction, () => {
    const mail = new IncomingMail(ports, false)
    transaction.mail = mail
    transaction.isDataAccepted = true
    return { next: 'data', reply: replies.SEND_DATA, mail }
  })
}

/** What follows BDAT. The reply comes after its chunk. */
export function answerBdat(parts: ContentParts, argument: string): Step | Promise<Step> {
  const { ports, answers } = parts
  const { transaction } = parts.state
  if (!ports.offer.has('CHUNKING')) return answers.give(replies.NOT_IMPLEMENTED)
  const chunk = parseBdat(argument)
  if (transaction) transaction.stage = 'data'
  // Without a size, the end of the chunk and the next command cannot be found.
  if (!chunk) return answers.refuse(replies.BAD_ARGUMENTS, {}, 'close')
  const isFirst = transaction !== null && transaction.mail === null && transaction.recipients.length > 0
  const read = (): Step => ({ next: 'chunk', reply: '', mail: mailForChunk(parts), ...chunk })
  return isFirst ? beginContent(parts, transaction, read) : read()
}

/** What scripts say about the transfer after more bytes. Null if nothing; true if the connection is cut. */
export function transferAfter(
  { holds }: DialoguePorts['scenarios'],
  transaction: Transaction,
  bytes: number,
  onSlice: () => void,
): Promise<boolean> | null {
  const { plans, mail } = transaction
  if (plans.length === 0) return null
  const cut = planAt('data', plans)?.action
  if (cut?.do === 'cut' && cut.afterBytes !== null && mail !== null && mail.readBytes >= cut.afterBytes) {
    return Promise.resolve(true)
  }
  transaction.slow ??= slowTransfer(holds, plans)
  return transaction.slow?.wait(bytes, onSlice)?.then(() => false) ?? null
}

function slowTransfer(holds: Holds, plans: MailPlan[]): SlowTransfer | null {
  for (const { action, ...plan } of plans) {
    if (action.do === 'slow') return new SlowTransfer(holds, { ...plan, bytesPerSecond: action.bytesPerSecond })
  }
  return null
}

/** What the scripts of the recipients say at DATA. There is one reply, so the recipient that was named first decides for all. */
function beginContent(
  { delay, answerAsScripted }: ContentParts,
  transaction: Transaction,
  begin: () => Step,
): Step | Promise<Step> {
  transaction.stage = 'data'
  const plan = planAt('data', transaction.plans)
  if (plan === null) return begin()
  const { action, teamId } = plan
  if (action.do === 'delay') return delay.wait({ teamId, milliseconds: action.ms }).then(begin)
  if (action.do === 'cut' && action.afterBytes === null) return CUT
  const step = begin()
  if (action.do !== 'reject' || !('mail' in step)) return step
  if (step.next === 'data') {
    transaction.isDataAccepted = false
    return answerAsScripted(action.reply)
  }
  // The sender sends the chunk before it reads the reply.
  step.mail.refusal = action.reply
  step.mail.isRefusedByScript = true
  return step
}

function mailForChunk({ ports, state: { transaction } }: Pick<ContentParts, 'ports' | 'state'>): IncomingMail {
  if (!transaction) return IncomingMail.refused(ports, replies.NO_TRANSACTION)
  if (transaction.recipients.length === 0) {
    const mail = IncomingMail.refused(ports, replies.NO_RECIPIENTS)
    mail.isRefusedByScript = transaction.hasRefusedByScript
    return mail
  }
  transaction.mail ??= new IncomingMail(ports, transaction.isBinary)
  return transaction.mail
}

const NO_RECIPIENTS_BY_SCRIPT: Step = { next: 'command', reply: replies.NO_RECIPIENTS }
