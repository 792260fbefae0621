import { anything, checkAmount, checkOptions, type OptionChecks } from './options.ts'

/** The body that Mailhatch posts to a webhook endpoint. The id of a test event is all zeros. */
export type WebhookEvent = {
  event: 'email.received'
  timestamp: string
  data: {
    id: string
    mailbox: string
    mailboxWithTag: string
    tag: string | null
    from: string
    to: string
    subject: string
    receivedAt: string
    domain: string
  }
}

/** A request is not from Mailhatch, was modified, or is too old; `message` says which. */
export class WebhookVerificationError extends Error {
  override readonly name: string = 'WebhookVerificationError'
}

export type SignedDelivery = {
  /** The event id, the same on every attempt. */
  id: string
  body: string
  /** During a rotation: the old secret, then the new one. */
  secrets: string[]
  /** Unix time in seconds. */
  timestamp: number
}

export type ReceivedDelivery = {
  /** The secret returned when the endpoint was created; several during a rotation. */
  secret: string | string[]
  /** The body exactly as received. Parsing and serialising it again would change it. */
  body: string | Uint8Array
  headers: Headers | Record<string, string | string[] | undefined>
  /** The maximum age and clock difference. */
  toleranceSeconds?: number
  /** Unix time in milliseconds. */
  now?: number
}

// With NaN, a signature would never be too old.
const DELIVERY: OptionChecks<ReceivedDelivery> = {
  secret: anything,
  body: anything,
  headers: anything,
  toleranceSeconds: checkAmount,
  now: checkAmount,
}

const PREFIX = 'whsec_'
const TOLERANCE_SECONDS = 300
/** A rotation has two, repeated rotations a few more. Bounded, because each costs an HMAC and a stranger may send any number. */
const SIGNATURES_MAX = 8

/** The signature headers of a delivery, in both families. */
export async function signWebhook({ id, body, secrets, timestamp }: SignedDelivery): Promise<Record<string, string>> {
  const bytes = new TextEncoder().encode(body)
  const service = await Promise.all(secrets.map((secret) => mac(serviceKey(secret), join(`${timestamp}.`, bytes))))
  const standard = await Promise.all(
    secrets.map((secret) => mac(standardKey(secret), join(`${id}.${timestamp}.`, bytes))),
  )
  return {
    'x-service-signature': [`t=${timestamp}`, ...service.map((signature) => `v1=${toHex(signature)}`)].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.map((signature) => `v1,${toBase64(signature)}`).join(' '),
  }
}

/**
 * Verifies the signature and age of a request and returns its event; throws `WebhookVerificationError` otherwise.
 *
 * @example
 * const { data } = await verifyWebhook({ secret, body: await request.text(), headers: request.headers })
 */
export async function verifyWebhook(delivery: ReceivedDelivery): Promise<WebhookEvent> {
  const { secret, body, headers, ...age } = checkOptions('verifyWebhook', delivery, DELIVERY)
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = age
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const claim = readStandard(headers) ?? readService(headers)
  if (!claim) throw new WebhookVerificationError('The request has no signature headers.')
  checkAge(claim.timestamp, { toleranceSeconds, now })
  const signed = join(claim.signedPrefix, bytes)
  for (const each of [secret].flat()) {
    const key = await importKey(claim.keyOf(each), 'verify')
    for (const signature of claim.signatures.slice(0, SIGNATURES_MAX)) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return parseEvent(bytes)
    }
  }
  throw new WebhookVerificationError('No signature matches: the body was modified, or the secret is wrong.')
}

type Bytes = Uint8Array<ArrayBuffer>
type Claim = { timestamp: string; signedPrefix: string; signatures: Bytes[]; keyOf: (secret: string) => Bytes }

/** The `webhook-*` headers of Standard Webhooks, preferred because they also sign the id; null without them. */
function readStandard(headers: ReceivedDelivery['headers']): Claim | null {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const given = headerOf(headers, 'webhook-signature')
  if (id === null || timestamp === null || given === null) return null
  const signatures = given
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? (fromBase64(each.slice(3)) ?? []) : []))
  return { timestamp, signedPrefix: `${id}.${timestamp}.`, signatures, keyOf: standardKey }
}

/** `x-service-signature: t=<seconds>,v1=<hex>,…`; null without it. */
function readService(headers: ReceivedDelivery['headers']): Claim | null {
  const given = headerOf(headers, 'x-service-signature')
  if (given === null) return null
  const fields = given.split(',').map((field) => field.trim())
  const timestamp = fields.find((field) => field.startsWith('t='))?.slice(2) ?? ''
  const signatures = fields.flatMap((field) => (field.startsWith('v1=') ? (fromHex(field.slice(3)) ?? []) : []))
  return { timestamp, signedPrefix: `${timestamp}.`, signatures, keyOf: serviceKey }
}

function headerOf(headers: ReceivedDelivery['headers'], name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  return [found].flat()[0] ?? null
}

function checkAge(timestamp: string, { toleranceSeconds, now }: { toleranceSeconds: number; now: number }): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('The timestamp of the signature is not a number.')
  const ageSeconds = now / 1000 - Number(timestamp)
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError('The signature is too old.')
  if (ageSeconds < -toleranceSeconds)
    throw new WebhookVerificationError('The signature is from the future: check the clock.')
}

function parseEvent(bytes: Uint8Array): WebhookEvent {
  try {
    // A valid signature means that Mailhatch wrote it.
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
  } catch (error) {
    throw new WebhookVerificationError('The body is signed but is not JSON.', { cause: error })
  }
}

/** `x-service-signature` uses the whole secret, prefix included, as the key. */
function serviceKey(secret: string): Bytes {
  if (secret === '') throw new TypeError('The webhook secret is empty.')
  return new TextEncoder().encode(secret)
}

/** `webhook-signature` uses the decoded part after the prefix as the key. */
function standardKey(secret: string): Bytes {
  const key = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : null
  if (!key || key.length === 0) throw new TypeError(`A webhook secret is ${PREFIX} followed by base64.`)
  return key
}

async function mac(key: Bytes, signed: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(key, 'sign'), signed))
}

function importKey(key: Bytes, usage: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [usage])
}

function join(prefix: string, bytes: Uint8Array): Bytes {
  const start = new TextEncoder().encode(prefix)
  const joined = new Uint8Array(start.length + bytes.length)
  joined.set(start)
  joined.set(bytes, start.length)
  return joined
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function fromHex(text: string): Bytes | null {
  if (!/^([\da-f]{2})+$/i.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
