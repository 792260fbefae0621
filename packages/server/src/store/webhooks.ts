import type { Verdict } from '../domain/delivery-schedule.ts'
import type { PlanName } from '../domain/plans.ts'

/** A customer's address that is told of new mail. */
export type Endpoint = {
  id: string
  teamId: string
  url: string
  description: string | null
  /** Only what comes for the mailbox of this name, and with this tag; null for all. */
  mailbox: string | null
  tag: string | null
  isActive: boolean
  /** Why we switched it off; null when someone of the team did. */
  disabledReason: string | null
  secretMasked: string
  /** Sealed, as the old ones. */
  secret: string
  /** Oldest first; some may be over. */
  oldSecrets: OldSecret[]
  /** Of the first failure since the last success. */
  failingSince: number | null
  createdAt: number
  updatedAt: number
}

/** Signs as well until its time is over. */
export type OldSecret = { secret: string; until: number }

export type NewEndpoint = Pick<
  Endpoint,
  'id' | 'teamId' | 'url' | 'description' | 'mailbox' | 'tag' | 'secret' | 'secretMasked' | 'createdAt'
>

export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'description' | 'isActive'>>

export type DeliveryStatus = 'pending' | 'success' | 'failed'

/** One event for one endpoint, with what the last attempt brought. */
export type Delivery = {
  id: string
  endpointId: string
  event: string
  /** Null for a test. */
  messageId: string | null
  status: DeliveryStatus
  httpStatus: number | null
  responseBody: string | null
  latencyMs: number | null
  /** Attempts made so far. */
  attempt: number
  nextAttemptAt: number | null
  error: string | null
  createdAt: number
}

/** What is to be told of a new message, and to whom. */
export type NewEvent = { id: string; body: string; deliveries: { id: string; endpointId: string }[] }

/** A delivery that nobody else sends while the lease lasts. */
export type LeasedDelivery = {
  id: string
  /** The same on every attempt: the `webhook-id` header. */
  eventId: string
  body: string
  /** Attempts made so far, since the last replay if there was one. */
  attempt: number
  /** Null for a test. */
  messageId: string | null
  endpoint: Pick<Endpoint, 'id' | 'teamId' | 'url' | 'secret' | 'oldSecrets' | 'failingSince'>
}

/** What one attempt brought. */
export type Attempt = {
  at: number
  httpStatus: number | null
  responseBody: string | null
  latencyMs: number | null
  error: string | null
}

export type AttemptRecord = Attempt &
  Verdict & {
    deliveryId: string
    /** Where it went: once the endpoint has another URL, this tells nothing about the endpoint. */
    url: string
  }

/** A test, told once and recorded when it is over. */
export type TestDelivery = Attempt & {
  id: string
  eventId: string
  endpointId: string
  event: string
  body: string
  status: 'success' | 'failed'
}

/** How many deliveries of one endpoint may be under way at once, in all processes together. */
export type EndpointLimits = {
  perEndpoint: number
  /** Ids of endpoints that get one at a time. */
  oneAtATime: string[]
}

export type WebhookStore = {
  /** `exists` when the team has one with this URL, `limit` when it has that many. */
  addEndpoint(endpoint: NewEndpoint, endpointsMax: number): Promise<Endpoint | 'exists' | 'limit'>
  /** Newest first. */
  listEndpoints(teamId: string): Promise<Endpoint[]>
  findEndpoint(where: { teamId: string; id: string }): Promise<Endpoint | null>
  /**
   * Switched off, what is pending fails, in steps; `failInactive` goes on where a crash interrupts. Switched on, it
   * starts anew. `exists` when another one has the URL.
   */
  updateEndpoint(
    where: { teamId: string; id: string },
    change: EndpointChange,
    at: number,
  ): Promise<Endpoint | 'exists' | null>
  /** False when `replaced` is not its secret, or no longer. */
  rotateEndpointSecret(
    where: { teamId: string; id: string },
    change: { replaced: string; secret: string; secretMasked: string; oldSecrets: OldSecret[]; at: number },
  ): Promise<boolean>
  /** Hides it and all that is of it at once; `removedEndpoints` tells what is still to be removed. */
  hideEndpoint(where: { teamId: string; id: string }, at: number): Promise<boolean>
  removedEndpoints(): Promise<string[]>
  /** Some deliveries of a hidden endpoint, and at last itself; false when it is gone. */
  emptySomeOfEndpoint(id: string, limit: number): Promise<boolean>

  /** The team's active endpoints that want to be told of mail for this mailbox and tag, and its plan. */
  findListeners(
    teamId: string,
    mail: { mailbox: string; tag: string | null },
  ): Promise<{ endpointId: string; plan: PlanName }[]>

  /** Newest first. */
  listDeliveries(
    endpointId: string,
    page: { limit: number; offset: number; status: DeliveryStatus | null },
  ): Promise<Delivery[]>
  findDelivery(where: { endpointId: string; id: string }): Promise<Delivery | null>
  /** What is posted, the same at every attempt. */
  findDeliveryBody(where: { endpointId: string; id: string }): Promise<string | null>
  /** Oldest first. */
  listAttempts(deliveryId: string): Promise<Attempt[]>
  /** Due now, with the schedule from its beginning; null when it is gone or its endpoint inactive. */
  replayDelivery(where: { teamId: string; endpointId: string; id: string }, at: number): Promise<Delivery | null>
  /** The same for some that failed up to `at`, but no tests; how many there were. */
  replayFailed(where: { teamId: string; endpointId: string }, page: { at: number; limit: number }): Promise<number>
  /** Null when its endpoint is gone. */
  addTestDelivery(test: TestDelivery): Promise<Delivery | null>

  /** Some that are due, oldest first but of no endpoint more than its share; nobody else gets them before `leaseMs`. */
  leaseDeliveries(
    /** At most `probes` of them for endpoints that get one at a time; those come after the others. */
    wish: EndpointLimits & { owner: string; at: number; leaseMs: number; limit: number; probes?: number },
  ): Promise<LeasedDelivery[]>
  /**
   * Writes what an attempt brought; false, and nothing is written, when the lease is no longer this owner's. An endpoint
   * that is to be switched off goes on if it has another URL by now, or has succeeded meanwhile.
   */
  finishAttempt(owner: string, record: AttemptRecord): Promise<boolean>
  releaseDeliveries(owner: string): Promise<void>
  /** Milliseconds until a lease may bring something, 0 for now; null when nothing is pending. */
  nextDueIn(limits: EndpointLimits & { at: number }): Promise<number | null>

  endpointIds(): Promise<string[]>
  /** Some of an endpoint's deliveries that ended before a time, and attempts before it of others; how many there were. */
  forgetDeliveries(endpointId: string, page: { before: number; limit: number }): Promise<number>
  /** Lets some fail that are pending for an endpoint that is switched off; how many there were. */
  failInactive(endpointId: string, page: { limit: number; at: number }): Promise<number>
  /** Lets the oldest fail of those that are pending beyond `kept` and not under way, at most `limit`; how many there were. */
  failBacklog(endpointId: string, page: { kept: number; limit: number; at: number }): Promise<number>
}
