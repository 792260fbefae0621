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
  /** Sealed, as the old one. */
  secret: string
  /** Signs as well until its time is over. */
  oldSecret: string | null
  oldSecretUntil: number | null
  /** Of the first failure since the last success. */
  failingSince: number | null
  createdAt: number
  updatedAt: number
}

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
  endpoint: Pick<Endpoint, 'id' | 'teamId' | 'url' | 'secret' | 'oldSecret' | 'oldSecretUntil' | 'failingSince'>
}

/** What one attempt brought. */
export type Attempt = {
  at: number
  httpStatus: number | null
  responseBody: string | null
  latencyMs: number | null
  error: string | null
}

export type AttemptRecord = Attempt & {
  deliveryId: string
  outcome: { status: 'success' } | { status: 'pending'; afterMs: number } | { status: 'failed' }
  /** The reason for which its endpoint is switched off; null when it goes on. */
  disableEndpoint: string | null
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
  /** Switched off, what is pending fails; switched on, it starts anew. `exists` when another one has the URL. */
  updateEndpoint(
    where: { teamId: string; id: string },
    change: EndpointChange,
    at: number,
  ): Promise<Endpoint | 'exists' | null>
  /** The present secret becomes the old one. */
  rotateEndpointSecret(
    where: { teamId: string; id: string },
    change: { secret: string; secretMasked: string; oldSecretUntil: number; at: number },
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
  /** Writes what an attempt brought; false, and nothing is written, when the lease is no longer this owner's. */
  finishAttempt(owner: string, record: AttemptRecord): Promise<boolean>
  releaseDeliveries(owner: string): Promise<void>
  /** Milliseconds until a lease may bring something, 0 for now; null when nothing is pending. */
  nextDueIn(limits: EndpointLimits & { at: number }): Promise<number | null>

  endpointIds(): Promise<string[]>
  /** Some of an endpoint's deliveries that ended before a time, and attempts before it of others; how many there were. */
  forgetDeliveries(endpointId: string, page: { before: number; limit: number }): Promise<number>
  /** Lets the oldest fail of those that are pending beyond `kept`, at most `limit`; how many there were. */
  failBacklog(endpointId: string, page: { kept: number; limit: number; at: number }): Promise<number>
}
