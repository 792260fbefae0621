import type { Recipient } from '../../domain/address.ts'
import type { PlanName } from '../../domain/plans.ts'
import type { RandomInt } from '../../domain/random-text.ts'
import type { Log } from '../../observe/log.ts'
import type { Billing } from '../../manage/billing.ts'
import type { DomainPorts } from '../../manage/custom-domain.ts'
import type { EndpointPorts } from '../../manage/endpoints.ts'
import type { KeyPorts, KeyRotated } from '../../manage/keys.ts'
import type { Mailer } from '../../manage/mailer.ts'
import type { MetricsReader } from '../../manage/metrics.ts'
import type { RemovalPorts } from '../../manage/removal.ts'
import type { Subscriptions } from '../../read/subscriptions.ts'
import type { Waits } from '../../read/wait.ts'
import type { Store } from '../../store/store.ts'
import type { ViewTokens } from '../view-token.ts'

/** Mail that belongs to no team: stored by the worker, refused by the API. */
export type UnroutedMail = {
  id: string
  domain: string
  mailbox: string
  from: string
  to: string
  subject: string
  receivedAt: string
  attempts: number
  lastError: string | null
  /** Why the mail was set aside. Null if it was not. */
  setAside: string | null
}

export type TestMail = { from: string; recipient: Recipient; content: Uint8Array }

export type UnroutedMailList = {
  list(page: { cursor: string | null; limit: number }): Promise<{ mails: UnroutedMail[]; cursor: string | null }>
  /** Throws if the API does not accept the mail. */
  retry(mail: Pick<UnroutedMail, 'id' | 'domain' | 'mailbox'>): Promise<void>
}

/** What the procedures need. */
export type RpcPorts = Omit<DomainPorts, 'store'> &
  KeyPorts & { keyRotated: KeyRotated } & Omit<RemovalPorts, 'store' | 'log'> & {
    store: Store
    log: Log
    subscriptions: Pick<Subscriptions, 'follow'>
    metrics: MetricsReader
    mailer: Pick<Mailer, 'send'> | null
    /** Null if no payment provider is configured. */
    billing: Billing | null
    appUrl: string
    defaultPlan: PlanName
    isAllInOne: boolean
    endKey: (keyId: string) => void
    webhooks: Pick<EndpointPorts, 'encryption' | 'allowedHosts' | 'attempt'>
    wakeSender: () => void
    /** Null if this program has no worker. */
    unrouted: UnroutedMailList | null
    /** Receives our own mail like external mail. Null if this program has no worker. */
    receiveMail: ((mail: TestMail) => Promise<void>) | null
    views: Pick<ViewTokens, 'make'>
    waits: Pick<Waits, 'heldFor'>
    /** Where apps send their mail. Null if unknown. */
    smtp: { host: string; port: number } | null
    random: RandomInt
  }
