import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../domain/errors.ts'

const ANSWER_MS_MAX = 10_000
/** How far the provider's clock and ours may differ; what is older may be a recording. */
const SIGNATURE_SECONDS_MAX = 300

export const STRIPE_API_URL = 'https://api.stripe.com'

export type StripeSettings = { secretKey: string; webhookSecret: string; pricePro: string; apiUrl: string }

/** Form fields by their names as Stripe writes them, such as `line_items[0][price]`. */
type Fields = Record<string, string>

/** One call of the provider's API; throws 502 when it refuses or cannot be reached. */
export async function callStripe<Answer>(
  { secretKey, apiUrl }: Pick<StripeSettings, 'secretKey' | 'apiUrl'>,
  path: string,
  fields: Fields | null,
): Promise<Answer> {
  const response = await fetch(`${apiUrl}${path}`, {
    method: fields ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${secretKey}` },
    ...(fields ? { body: new URLSearchParams(fields) } : {}),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).catch((error: unknown) => {
    throw failed('cannot be reached', error)
  })
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw failed(`answered ${response.status}: ${errorMessageOf(answer)}`)
  // The provider documents the shape; callers name what they use of it.
  return answer as Answer
}

/** Whether the provider has signed this body, just now. */
export function isSignedByStripe(
  body: string,
  header: string | null,
  { webhookSecret, now }: { webhookSecret: string; now: number },
): boolean {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('=', 2))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > SIGNATURE_SECONDS_MAX) return false
  const expected = createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest()
  // Several while a secret is being exchanged.
  return parts.some(([name, value = '']) => name === 'v1' && isEqual(Buffer.from(value, 'hex'), expected))
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function errorMessageOf(answer: unknown): string {
  const message = (answer as { error?: { message?: unknown } } | null)?.error?.message
  return typeof message === 'string' ? message.slice(0, 300) : 'no reason given'
}

function failed(what: string, cause?: unknown): AppError {
  return Object.assign(new AppError('provider_failed', `The payment provider ${what}`), { cause })
}
