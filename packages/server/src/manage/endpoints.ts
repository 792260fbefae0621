import { randomBytes } from 'node:crypto'
import { isSuccess } from '../domain/delivery-schedule.ts'
import { AppError } from '../domain/errors.ts'
import { PLANS } from '../domain/plans.ts'
import { webhookEventBody } from '../domain/webhook-event.ts'
import type { SendAttempt } from '../notify/attempt.ts'
import { acceptWebhookUrl, type AllowedHosts } from '../notify/webhook-url.ts'
import type { Team } from '../store/mailboxes.ts'
import type {
  Delivery,
  DeliveryStatus,
  Endpoint,
  EndpointChange,
  EndpointKey,
  WebhookStore,
} from '../store/webhooks.ts'
import type { Encryption } from './encryption.ts'

/** Each endpoint receives every message, so they multiply the cost of a message. */
const ENDPOINTS_MAX = 20
const SECRET_BYTES = 32
const SECRET_PREFIX = 'whsec_'
/** How long an old secret also signs, so that receivers can be updated. */
const OVERLAP_MS = 86_400_000
/** Each old secret adds a signature to every delivery, and receivers check a limited number: our SDK checks eight. */
const OLD_SECRETS_MAX = 5
/** Rows per transaction. It takes a few milliseconds, during which arriving mail has to wait. */
const ROWS_PER_STEP = 500
/** Steps of a deletion that the request itself performs: enough for most endpoints, and fast. */
const STEPS_PER_REMOVAL = 4
/** Message id in test events. */
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
  encryption: Encryption
  /** Hosts that are exempt from the URL rules. */
  allowedHosts: AllowedHosts
  /** For test events only, and limited. */
  attempt: SendAttempt
  /** Wakes the sender, because a delivery may be due. */
  wakeSender: () => void
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

/** The URL has passed `acceptUrl`, also in a change. */
export type EndpointInput = Pick<Endpoint, 'url' | 'description' | 'mailbox' | 'tag'>
export type UrlPorts = Pick<EndpointPorts, 'allowedHosts'>

/** Separate, because the URL is validated before the caller's permissions are checked. */
export function acceptUrl({ allowedHosts }: UrlPorts, url: string): string {
  return acceptWebhookUrl(url, allowedHosts)
}

/** Returns the secret in plain text, the only time. */
export async function createEndpoint(
  { store, encryption, newId, now }: EndpointPorts,
  team: Pick<Team, 'id' | 'plan'>,
  input: EndpointInput,
): Promise<{ endpoint: Endpoint; secret: string }> {
  if (!PLANS[team.plan].webhooks) {
    throw new AppError('webhooks_unavailable', 'Webhooks are not available on your current plan.')
  }
  const { secret, columns } = newSecret(encryption)
  const at = now()
  const endpoint = await store.addEndpoint(
    { id: newId(at), teamId: team.id, ...input, ...columns, createdAt: at },
    ENDPOINTS_MAX,
  )
  if (endpoint === 'exists') throw urlTaken()
  if (endpoint === 'limit') {
    throw new AppError('webhook_limit', `A team has at most ${ENDPOINTS_MAX} webhook endpoints. Delete one first.`)
  }
  return { endpoint, secret }
}

/** Disabling an endpoint fails its pending deliveries. Enabling resets its failures. */
export async function changeEndpoint(
  { store, now }: EndpointPorts,
  where: EndpointKey,
  change: EndpointChange,
): Promise<Endpoint> {
  const changed = await store.updateEndpoint(where, change, now())
  if (changed === 'exists') throw urlTaken()
  if (!changed) throw notFound()
  return changed
}

/** Hides the endpoint at once, then deletes its deliveries in small steps. A sweep completes the rest. */
export async function removeEndpoint({ store, now }: EndpointPorts, where: EndpointKey): Promise<void> {
  if (!(await store.hideEndpoint(where, now()))) throw notFound()
  for (let step = 0; step < STEPS_PER_REMOVAL; step++) {
    if (!(await store.emptySomeOfEndpoint(where, ROWS_PER_STEP))) return
  }
}

/** Returns the new secret in plain text, the only time. The previous one also signs for a day, even if others follow. */
export async function rotateEndpointSecret(ports: EndpointPorts, where: EndpointKey): Promise<string> {
  const { store, encryption, now } = ports
  const endpoint = await findEndpoint(ports, where)
  const at = now()
  const signing = endpoint.oldSecrets.filter(({ until }) => until > at)
  if (signing.length >= OLD_SECRETS_MAX) throw tooManySecrets(signing[0]!.until, at)
  const oldSecrets = [...signing, { secret: endpoint.secret, until: at + OVERLAP_MS }]
  const { secret, columns } = newSecret(encryption)
  const isRotated = await store.rotateEndpointSecret(where, { replaced: endpoint.secret, ...columns, oldSecrets, at })
  // Rotated or deleted concurrently.
  return isRotated ? secret : rotateEndpointSecret(ports, where)
}

/** Sends one test event, also to an inactive endpoint. */
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
    teamId: team.id,
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
  where: EndpointKey,
  page: { limit: number; offset: number; status: DeliveryStatus | null },
): Promise<Delivery[]> {
  await findEndpoint(ports, where)
  return ports.store.listDeliveries(where, page)
}

/** Sends the same delivery again, now. */
export async function replayDelivery(ports: EndpointPorts, where: EndpointKey, deliveryId: string): Promise<Delivery> {
  const { store, wakeSender, now } = ports
  const endpoint = await findEndpoint(ports, where)
  const named = { teamId: endpoint.teamId, endpointId: endpoint.id, id: deliveryId }
  const delivery = await store.findDelivery(named)
  if (!delivery) throw notFound()
  requireActive(endpoint)
  const replayed = await store.replayDelivery(named, now())
  // Disabled or deleted concurrently.
  if (!replayed) return replayDelivery(ports, where, deliveryId)
  wakeSender()
  return replayed
}

/** Replays all failed deliveries and resolves to their number. */
export async function replayFailed(ports: EndpointPorts, where: EndpointKey): Promise<number> {
  const { store, wakeSender, now } = ports
  const endpoint = await findEndpoint(ports, where)
  requireActive(endpoint)
  const at = now()
  let count = 0
  let replayed: number
  do {
    replayed = await store.replayFailed(where, { at, limit: ROWS_PER_STEP })
    count += replayed
    if (replayed > 0) wakeSender()
  } while (replayed === ROWS_PER_STEP)
  return count
}

async function findEndpoint({ store }: Pick<EndpointPorts, 'store'>, where: EndpointKey): Promise<Endpoint> {
  const endpoint = await store.findEndpoint(where)
  if (!endpoint) throw notFound()
  return endpoint
}

function newSecret(encryption: Encryption): { secret: string; columns: Pick<Endpoint, 'secret' | 'secretMasked'> } {
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
  const secretMasked = `${secret.slice(0, SECRET_PREFIX.length + 2)}…${secret.slice(-4)}`
  return { secret, columns: { secret: encryption.encrypt(secret), secretMasked } }
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
  if (!isActive) throw new AppError('endpoint_inactive', 'The endpoint is disabled. Enable it first.')
}

function tooManySecrets(until: number, at: number): AppError {
  const when = new Date(until).toISOString()
  return new AppError('rate_limited', `${OLD_SECRETS_MAX} old secrets are still valid. Try again after ${when}.`, {
    headers: { 'retry-after': String(Math.ceil((until - at) / 1_000)) },
  })
}

function urlTaken(): AppError {
  return new AppError('webhook_exists', 'The team has a webhook endpoint with this URL already.')
}

function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}
