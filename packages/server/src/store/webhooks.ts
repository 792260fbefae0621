import type { Verdict } from '../domain/delivery-schedule.ts'
import type { PlanName } from '../domain/plans.ts'

/** A customer's URL that receives new mail. */
export type Endpoint = {
  id: string
  teamId: string
  url: string
  description: string | null
  /** Restricts events to the mailbox with this name and to this tag; null for all. */
  mailbox: string | null
  tag: string | null
  isActive: boolean
  /** Why it was disabled automatically; null if a user did. */
  disabledReason: string | null
  secretMasked: string
  /** Encrypted, like the old ones. */
  secret: string
  /** Oldest first. Some may have expired. */
  oldSecrets: OldSecret[]
  /** Time of the first failure since the last success. */
  failingSince: number | null
  createdAt: number
  updatedAt: number
}

/** Names an endpoint. */
export type EndpointKey = { teamId: string; id: string }

/** Also signs until it expires. */
export type OldSecret = { secret: string; until: number }

export type NewEndpoint = Pick<
  Endpoint,
  'id' | 'teamId' | 'url' | 'description' | 'mailbox' | 'tag' | 'secret' | 'secretMasked' | 'createdAt'
>

export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'description' | 'isActive'>>

export type DeliveryStatus = 'pending' | 'success' | 'failed'

/** One event for one endpoint, with the result of the last attempt. */
export type Delivery = {
  id: string
  endpointId: string
  event: string
  /** Null for a test event. */
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

/** Names a delivery. */
export type DeliveryKey = { teamId: string; endpointId: string; id: string }

/** The event of a new message, and its deliveries. */
export type NewEvent = { id: string; body: string; deliveries: { id: string; endpointId: string }[] }

/** A delivery that no other process sends while the lease lasts. */
export type LeasedDelivery = {
  id: string
  /** The same on every attempt: the `webhook-id` header. */
  eventId: string
  body: string
  /** Attempts made since the last replay, or in total. */
  attempt: number
  /** Null for a test event. */
  messageId: string | null
  /** Null for a replay. */
  createdAt: number | null
  endpoint: Pick<Endpoint, 'id' | 'teamId' | 'url' | 'secret' | 'oldSecrets' | 'failingSince'>
}

/** The result of one attempt. */
export type Attempt = {
  at: number
  httpStatus: number | null
  responseBody: string | null
  latencyMs: number | null
  error: string | null
}

export type AttemptRecord = Attempt &
  Verdict & {
    teamId: string
    endpointId: string
    deliveryId: string
    /** The URL used. If the endpoint has another one by now, the result says nothing about it. */
    url: string
  }

/** A test event, sent once and recorded afterwards. */
export type TestDelivery = Attempt &
  DeliveryKey & {
    eventId: string
    event: string
    body: string
    status: 'success' | 'failed'
  }

/** How many deliveries of one endpoint may be in flight at once, in all processes together. */
export type EndpointLimits = {
  /** The same in all processes: the times in the outbox depend on it. */
  perEndpoint: number
  /** Ids of endpoints that get one at a time. Only this process knows them. */
  oneAtATime: string[]
}

export type WebhookStore = {
  /** `exists` if the team has one with this URL, `limit` if it already has that many. */
  addEndpoint(endpoint: NewEndpoint, endpointsMax: number): Promise<Endpoint | 'exists' | 'limit'>
  /** Newest first. */
  listEndpoints(teamId: string): Promise<Endpoint[]>
  findEndpoint(where: EndpointKey): Promise<Endpoint | null>
  /**
   * Disabling it fails pending deliveries in steps; `failInactive` continues after a crash. Enabling it resets its
   * failures. `exists` if another endpoint has the URL.
   */
  updateEndpoint(where: EndpointKey, change: EndpointChange, at: number): Promise<Endpoint | 'exists' | null>
  /** False if `replaced` is not its current secret. */
  rotateEndpointSecret(
    where: EndpointKey,
    change: { replaced: string; secret: string; secretMasked: string; oldSecrets: OldSecret[]; at: number },
  ): Promise<boolean>
  /** Hides it and its deliveries at once. `removedEndpoints` lists what remains to be deleted. */
  hideEndpoint(where: EndpointKey, at: number): Promise<boolean>
  removedEndpoints(teamId: string): Promise<string[]>
  /** Deletes some deliveries of a hidden endpoint, and finally the endpoint. False when it is deleted. */
  emptySomeOfEndpoint(where: EndpointKey, limit: number): Promise<boolean>

  /** The team's active endpoints that receive mail for this mailbox and tag, and the team's plan. */
  findListeners(
    teamId: string,
    mail: { mailbox: string; tag: string | null },
  ): Promise<{ endpointId: string; plan: PlanName }[]>

  /** Newest first. */
  listDeliveries(
    where: EndpointKey,
    page: { limit: number; offset: number; status: DeliveryStatus | null },
  ): Promise<Delivery[]>
  findDelivery(where: DeliveryKey): Promise<Delivery | null>
  /** The posted body, which is the same for every attempt. */
  findDeliveryBody(where: DeliveryKey): Promise<string | null>
  /** Of the delivery with this id, oldest first. */
  listAttempts(where: { teamId: string; id: string }): Promise<Attempt[]>
  /** Makes it due now and restarts its schedule. Null if it was deleted or its endpoint is inactive. */
  replayDelivery(where: DeliveryKey, at: number): Promise<Delivery | null>
  /** The same for some deliveries that failed up to `at`, except tests. Returns their number. */
  replayFailed(where: EndpointKey, page: { at: number; limit: number }): Promise<number>
  /** Null if the endpoint was deleted. */
  addTestDelivery(test: TestDelivery): Promise<Delivery | null>

  /** Leases due deliveries, oldest first and at most the share of each endpoint. They are exclusive for `leaseMs`. */
  leaseDeliveries(
    /** At most `probes` of them are for endpoints that get one at a time. Those come last. */
    lease: EndpointLimits & { owner: string; at: number; leaseMs: number; limit: number; probes?: number },
  ): Promise<LeasedDelivery[]>
  /**
   * Records the result of an attempt. Returns false and writes nothing if the owner no longer holds the lease. An endpoint
   * that should be disabled stays active if its URL has changed or it has succeeded meanwhile.
   */
  finishAttempt(owner: string, record: AttemptRecord): Promise<boolean>
  releaseDeliveries(owner: string): Promise<void>
  /** Milliseconds until a delivery can be leased, 0 for now; null if nothing is pending. */
  nextDueIn(limits: EndpointLimits & { at: number }): Promise<number | null>
  /** For how many milliseconds the first delivery has been due without being sent; 0 if none is due. */
  dueFor(at: number): Promise<number>

  endpointIds(teamId: string): Promise<string[]>
  /** Forgets some deliveries that ended before a time, and older attempts of others. Returns the number of deliveries. */
  forgetDeliveries(where: EndpointKey, page: { before: number; limit: number }): Promise<number>
  /** Fails some pending deliveries of a disabled endpoint. Returns their number. */
  failInactive(where: EndpointKey, page: { limit: number; at: number }): Promise<number>
  /** Fails the oldest pending deliveries beyond `kept` that are not leased, at most `limit`. Returns their number. */
  failBacklog(where: EndpointKey, page: { kept: number; limit: number; at: number }): Promise<number>
}
