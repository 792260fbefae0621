import type { ScenarioStage } from '@mailhatch/sdk'
import type { Recipient } from '../../domain/address.ts'
import type { MailPlan } from '../scripts.ts'
import type { Flight } from '../transit.ts'
import type { NamedRecipient } from './attempts.ts'
import type { MailCommand } from './commands.ts'
import type { IncomingMail } from './incoming-mail.ts'
import type { SlowTransfer } from './slow-transfer.ts'

/** From MAIL until the reply to its content, or until it is given up. */
export type Transaction = {
  mailFrom: string
  recipients: Recipient[]
  /** When each of them was named. */
  startedAt: number[]
  /** A recipient with a script, before the reply to its RCPT. */
  pending: NamedRecipient | null
  stage: ScenarioStage
  isDataAccepted: boolean
  /** Bytes of the mail that was handed over. */
  sizeBytes: number
  /** The messages, once the mail is stored. */
  messageIds: string[] | null
  isRecorded: boolean
  /** Whether a recipient was refused, and reported as a rejection. */
  hasRefused: boolean
  /** Whether a script refused one. */
  hasRefusedByScript: boolean
  isBinary: boolean
  mail: IncomingMail | null
  /** What scripts of its recipients say about DATA and what follows. */
  plans: MailPlan[]
  /** The transfer, if one of them slows it. */
  slow: SlowTransfer | null
  flight: Flight
}

/** What a session has come to. */
export type SessionState = {
  remoteAddress: string | null
  helo: string | null
  /** The version of TLS. */
  tls: string | null
  /** As whom the client has signed in. */
  username: string | null
  transaction: Transaction | null
}

export function beginTransaction({ mailFrom, isBinary }: MailCommand, flight: Flight): Transaction {
  return {
    mailFrom,
    recipients: [],
    startedAt: [],
    pending: null,
    stage: 'rcpt',
    isDataAccepted: false,
    sizeBytes: 0,
    messageIds: null,
    isRecorded: false,
    hasRefused: false,
    hasRefusedByScript: false,
    isBinary,
    mail: null,
    plans: [],
    slow: null,
    flight,
  }
}

/** The plan for a stage of the mail: of those that have one for it, the recipient that was named first decides, whatever its plan is. */
export function planAt(stage: ScenarioStage, plans: MailPlan[]): MailPlan | null {
  return plans.find(({ action }) => 'at' in action && action.at === stage) ?? null
}

export function isStoring({ stage, messageIds }: Transaction): boolean {
  return stage === 'after-data' && messageIds === null
}
