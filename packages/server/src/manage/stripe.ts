import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../domain/errors.ts'

const RESPONSE_MS_MAX = 10_000
/** Maximum clock difference to the provider. An older signature may be replayed. */
const SIGNATURE_SECONDS_MAX = 300

export const STRIPE_API_URL = 'https://api.stripe.com'

export type StripeSettings = { secretKey: string; webhookSecret: string; pricePro: string; apiUrl: string }

/** Form fields with Stripe's names, such as `line_items[0][price]`. */
type Fields = Record<string, string>

/** Calls the provider's API. Throws 502 if it refuses or cannot be reached. */
export async function callStripe<Result>(
  { secretKey, apiUrl }: Pick<StripeSettings, 'secretKey' | 'apiUrl'>,
  path: string,
  fields: Fields | null,
): Promise<Result> {
  const response = await fetch(`${apiUrl}${path}`, {
    method: fields ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${secretKey}` },
    ...(fields ? { body: new URLSearchParams(fields) } : {}),
    redirect: 'error',
    signal: AbortSignal.timeout(RESPONSE_MS_MAX),
  }).catch((error: unknown) => {
    throw failed('cannot be reached', error)
  })
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw failed(`responded with ${response.status}: ${errorMessageOf(body)}`)
  // The provider documents the shape, and callers declare what they use of it.
  return body as Result
}

/** Whether the provider signed this body recently. */
export function isSignedByStripe(
  body: string,
  header: string | null,
  { webhookSecret, now }: { webhookSecret: string; now: number },
): boolean {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('=', 2))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > SIGNATURE_SECONDS_MAX) return false
  const expected = createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest()
  // There are several signatures while a secret is being rotated.
  return parts.some(([name, value = '']) => name === 'v1' && isEqual(Buffer.from(value, 'hex'), expected))
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function errorMessageOf(body: unknown): string {
  const message = (body as { error?: { message?: unknown } } | null)?.error?.message
  return typeof message === 'string' ? message.slice(0, 300) : 'no reason given'
}

function failed(what: string, cause?: unknown): AppError {
  return Object.assign(new AppError('provider_failed', `The payment provider ${what}`), { cause })
}
