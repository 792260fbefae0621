import { randomBytes } from 'node:crypto'
import { isSuccess } from '../domain/delivery-schedule.ts'
import { AppError } from '../domain/errors.ts'
import { PLANS } from '../domain/plans.ts'
import { webhookEventBody } from '../domain/webhook-event.ts'
import type { SendAttempt } from '../notify/attempt.ts'
import { acceptWebhookUrl, type AllowedHosts } from '../notify/webhook-url.ts'
import type { Team } from '../store/store.ts'
import type { Delivery, DeliveryStatus, Endpoint, EndpointChange, WebhookStore } from '../store/webhooks.ts'
import type { Sealer } from './seal.ts'

/** Each of them is told of every message, so they multiply what a message costs. */
const ENDPOINTS_MAX = 20
const SECRET_BYTES = 32
const SECRET_PREFIX = 'whsec_'
/** How long an old secret signs as well, for receivers to be given the new one. */
const OVERLAP_MS = 86_400_000
/** Every one of them signs every delivery, and receivers try only so many signatures: those of our SDK eight. */
const OLD_SECRETS_MAX = 5
/** Rows in one transaction: a few milliseconds, in which mail that arrives has to wait. */
const ROWS_PER_STEP = 500
/** What a request does of a removal itself: enough for most, and over in a moment. */
const STEPS_PER_REMOVAL = 4
/** Of the message that a test tells of. */
const NO_MESSAGE = '00000000-0000-0000-0000-000000000000'

export type EndpointPorts = {
  store: Pick<
    WebhookStore,
    | 'addEndpoint'
    | 'listEndpoints'
    | 'findEndpoint'
    | 'updateEndpoint'
    | 'rotateEndpointSecret'
    | 'hideEndpoint'
    | 'emptySomeOfEndpoint'
    | 'listDeliveries'
    | 'findDelivery'
    | 'replayDelivery'
    | 'replayFailed'
    | 'addTestDelivery'
  >
  sealer: Sealer
  /** To which the rules for strangers do not apply. */
  allowedHosts: AllowedHosts
  /** For tests, and limited for them. */
  attempt: SendAttempt
  /** There may be something due. */
  wakeSender: () => void
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

/** Its URL has passed `acceptUrl`, as that of a change. */
export type EndpointWish = Pick<Endpoint, 'url' | 'description' | 'mailbox' | 'tag'>
type Where = { teamId: string; id: string }
export type UrlPorts = Pick<EndpointPorts, 'allowedHosts'>

/** Apart from the rest, because what was asked for is judged before who asks. */
export function acceptUrl({ allowedHosts }: UrlPorts, url: string): string {
  return acceptWebhookUrl(url, allowedHosts)
}

/** Returns the secret in clear, for the only time. */
export async function createEndpoint(
  { store, sealer, newId, now }: EndpointPorts,
  team: Pick<Team, 'id' | 'plan'>,
  wish: EndpointWish,
): Promise<{ endpoint: Endpoint; secret: string }> {
  if (!PLANS[team.plan].webhooks) {
    throw new AppError('webhooks_unavailable', 'Webhooks are not available on your current plan.')
  }
  const { secret, columns } = newSecret(sealer)
  const at = now()
  const endpoint = await store.addEndpoint(
    { id: newId(at), teamId: team.id, ...wish, ...columns, createdAt: at },
    ENDPOINTS_MAX,
  )
  if (endpoint === 'exists') throw urlTaken()
  if (endpoint === 'limit') {
    throw new AppError('webhook_limit', `A team has at most ${ENDPOINTS_MAX} webhook endpoints. Delete one first.`)
  }
  return { endpoint, secret }
}

/** Switched off, what is pending fails; switched on, it starts anew. */
export async function changeEndpoint(
  { store, now }: EndpointPorts,
  where: Where,
  change: EndpointChange,
): Promise<Endpoint> {
  const changed = await store.updateEndpoint(where, change, now())
  if (changed === 'exists') throw urlTaken()
  if (!changed) throw notFound()
  return changed
}

/** Its deliveries go too: hidden at once, then in small steps; a sweep does what is left. */
export async function removeEndpoint({ store, now }: EndpointPorts, where: Where): Promise<void> {
  if (!(await store.hideEndpoint(where, now()))) throw notFound()
  for (let step = 0; step < STEPS_PER_REMOVAL; step++) {
    if (!(await store.emptySomeOfEndpoint(where.id, ROWS_PER_STEP))) return
  }
}

/** Returns the new secret in clear, for the only time; the one before signs as well for a day, however many follow. */
export async function rotateEndpointSecret(ports: EndpointPorts, where: Where): Promise<string> {
  const { store, sealer, now } = ports
  const endpoint = await findEndpoint(ports, where)
  const at = now()
  const signing = endpoint.oldSecrets.filter(({ until }) => until > at)
  if (signing.length >= OLD_SECRETS_MAX) throw tooManySecrets(signing[0]!.until, at)
  const oldSecrets = [...signing, { secret: endpoint.secret, until: at + OVERLAP_MS }]
  const { secret, columns } = newSecret(sealer)
  const isRotated = await store.rotateEndpointSecret(where, { replaced: endpoint.secret, ...columns, oldSecrets, at })
  // Rotated or removed since we looked.
  return isRotated ? secret : rotateEndpointSecret(ports, where)
}

/** Tells the endpoint of a message that there is not, once; active or not, since someone asks for it. */
export async function testEndpoint(
  ports: EndpointPorts,
  team: Pick<Team, 'id' | 'domain'>,
  id: string,
): Promise<Delivery> {
  const { store, newId, now } = ports
  const endpoint = await findEndpoint(ports, { teamId: team.id, id })
  const at = now()
  const event = { eventId: newId(at), body: testBody(endpoint, team.domain ?? ports.rootDomain, at) }
  const { retryAfterMs: _, ...result } = await ports.attempt(endpoint, event)
  const delivery = await store.addTestDelivery({
    id: newId(at),
    endpointId: endpoint.id,
    event: 'email.received',
    ...event,
    at,
    ...result,
    status: isSuccess(result.httpStatus) ? 'success' : 'failed',
  })
  if (!delivery) throw notFound()
  return delivery
}

export async function listDeliveries(
  ports: EndpointPorts,
  where: Where,
  page: { limit: number; offset: number; status: DeliveryStatus | null },
): Promise<Delivery[]> {
  const { id } = await findEndpoint(ports, where)
  return ports.store.listDeliveries(id, page)
}

/** The same delivery once more, now. */
export async function replayDelivery(ports: EndpointPorts, where: Where, deliveryId: string): Promise<Delivery> {
  const { store, wakeSender, now } = ports
  const endpoint = await findEndpoint(ports, where)
  const { teamId, id: endpointId } = endpoint
  const delivery = await store.findDelivery({ endpointId, id: deliveryId })
  if (!delivery) throw notFound()
  requireActive(endpoint)
  const replayed = await store.replayDelivery({ teamId, endpointId, id: deliveryId }, now())
  // Switched off or removed since we looked.
  if (!replayed) return replayDelivery(ports, where, deliveryId)
  wakeSender()
  return replayed
}

/** All that have failed so far; resolves to how many. */
export async function replayFailed(ports: EndpointPorts, where: Where): Promise<number> {
  const { store, wakeSender, now } = ports
  const endpoint = await findEndpoint(ports, where)
  requireActive(endpoint)
  const at = now()
  let count = 0
  let replayed: number
  do {
    replayed = await store.replayFailed(
      { teamId: endpoint.teamId, endpointId: endpoint.id },
      { at, limit: ROWS_PER_STEP },
    )
    count += replayed
    if (replayed > 0) wakeSender()
  } while (replayed === ROWS_PER_STEP)
  return count
}

async function findEndpoint({ store }: Pick<EndpointPorts, 'store'>, where: Where): Promise<Endpoint> {
  const endpoint = await store.findEndpoint(where)
  if (!endpoint) throw notFound()
  return endpoint
}

function newSecret(sealer: Sealer): { secret: string; columns: Pick<Endpoint, 'secret' | 'secretMasked'> } {
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
  const secretMasked = `${secret.slice(0, SECRET_PREFIX.length + 2)}…${secret.slice(-4)}`
  return { secret, columns: { secret: sealer.seal(secret), secretMasked } }
}

function testBody({ mailbox, tag }: Endpoint, domain: string, at: number): string {
  const name = mailbox ?? 'test'
  const mailboxWithTag = tag === null ? name : `${name}+${tag}`
  return webhookEventBody(
    {
      id: NO_MESSAGE,
      mailbox: name,
      mailboxWithTag,
      tag,
      from: `test@${domain}`,
      to: `${mailboxWithTag}@${domain}`,
      subject: 'This is a test',
      receivedAt: at,
      domain,
    },
    at,
  )
}

function requireActive({ isActive }: Endpoint): void {
  if (!isActive) throw new AppError('endpoint_inactive', 'The endpoint is inactive. Switch it on first.')
}

function tooManySecrets(until: number, at: number): AppError {
  const when = new Date(until).toISOString()
  return new AppError('rate_limited', `${OLD_SECRETS_MAX} old secrets still sign. Ask again after ${when}.`, {
    headers: { 'retry-after': String(Math.ceil((until - at) / 1_000)) },
  })
}

function urlTaken(): AppError {
  return new AppError('webhook_exists', 'The team has a webhook endpoint with this URL already.')
}

function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}
