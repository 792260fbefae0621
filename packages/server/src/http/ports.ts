import type { AttemptGroup } from '../domain/attempt.ts'
import type { PlanName } from '../domain/plans.ts'
import type { AcceptAnnouncement } from '../intake/accept-announcement.ts'
import type { AccountPorts } from '../manage/account-ports.ts'
import type { Billing } from '../manage/billing.ts'
import type { DomainPorts } from '../manage/custom-domain.ts'
import type { EndpointPorts } from '../manage/endpoints.ts'
import type { InvitePorts } from '../manage/invites.ts'
import type { KeyPorts, KeyRotated } from '../manage/keys.ts'
import type { MemberPorts } from '../manage/members.ts'
import type { MetricsReader } from '../manage/metrics.ts'
import type { Oidc } from '../manage/oidc.ts'
import type { OnboardingPorts } from '../manage/onboarding.ts'
import type { Rejections } from '../manage/rejections.ts'
import type { RemovalPorts } from '../manage/removal.ts'
import type { ScenarioPorts } from '../manage/scenarios.ts'
import type { ScriptList } from '../manage/script-list.ts'
import type { Site } from '../manage/site.ts'
import type { TakeStep } from '../manage/take-step.ts'
import type { NewTeamPorts } from '../manage/teams.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import type { Contents } from '../read/content.ts'
import type { Streams } from '../read/streams.ts'
import type { Subscriptions } from '../read/subscriptions.ts'
import type { Waits } from '../read/wait.ts'
import type { WorkerExchange } from '../read/worker-exchange.ts'
import type { Store } from '../store/store.ts'
import type { KeyChecks } from './key-checks.ts'
import type { LocalWorker } from './local-worker.ts'
import type { RateLimit } from './rate-limit.ts'
import type { IsOverloaded } from './shedding.ts'

/**
 * What the API needs, by subject. A group has all that the functions of its subject need, so that a handler passes on
 * the group alone: `rotateKey(ports.keys, …)`.
 */
export type ApiPorts = {
  store: Store
  now: () => number
  messages: MessagePorts
  mailboxes: OnboardingPorts & RemovalPorts
  keys: ApiKeyPorts
  webhooks: EndpointPorts
  members: MemberPorts & InvitePorts
  teams: TeamPorts
  accounts: SignInPorts
  inbound: InboundPorts
  site: SitePorts
  observe: ObservePorts
}

export type MessagePorts = RemovalPorts & {
  waits: Waits
  streams: Streams
  subscriptions: Pick<Subscriptions, 'follow' | 'requireRoom' | 'marked'>
  contents: Contents
}

export type ScriptPorts = ScenarioPorts & {
  scripts: ScriptList
  takeStep: TakeStep
  /** After how long all workers know a new scenario. */
  activeInMs: number
}

export type LedgerPorts = {
  add: (group: AttemptGroup) => Promise<unknown>
  /** Resolves when what was tried before this call is stored, as far as this process knows. */
  flush: () => Promise<void>
}

export type ApiKeyPorts = KeyPorts & {
  store: Store
  keyRotated: KeyRotated
  /** Closes the streams and waits of a key that was deleted or rotated. */
  endKey: (keyId: string) => void
  checks: Pick<KeyChecks, 'isFresh'>
  recordUse: (keyId: string) => void
  /** Null if requests are not limited. */
  rateLimit: RateLimit | null
}

export type TeamPorts = NewTeamPorts &
  DomainPorts & {
    defaultPlan: PlanName
    /** Null if no payment provider is configured. */
    billing: Billing | null
    metrics: MetricsReader
  }

export type SignInPorts = AccountPorts & {
  /** Null if no provider is configured. */
  oidc: Oidc | null
}

/** How mail arrives. */
export type InboundPorts = {
  store: Pick<Store, 'findBootstrapTeam'>
  acceptAnnouncement: AcceptAnnouncement
  recordRejection: Rejections['record']
  saveRejections: Rejections['save']
  scenarios: ScriptPorts
  ledger: LedgerPorts
  exchange: WorkerExchange
  /** Null if announcements over HTTP are refused. */
  webhookSecret: string | null
  /** Null if the worker is another process. */
  worker: LocalWorker | null
}

export type SitePorts = Site & {
  allowedOrigins: string[]
  /** The folder of the built dashboard, which may not exist yet. */
  dashboardFolder: string
  /** Whether all requests come through a proxy that adds the address of the client. */
  isBehindProxy: boolean
}

export type ObservePorts = {
  log: Log
  /** Null if metrics are off. */
  meters: Meters | null
  /** While it returns true, the API serves only reads. */
  isOverloaded: IsOverloaded
  /** Resolves to the current problems. An empty list means ready. */
  findProblems: () => Promise<string[]>
}
