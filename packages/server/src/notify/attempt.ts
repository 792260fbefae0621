import { signWebhook } from '@mailhatch/sdk'
import { cutText } from '../domain/cut-text.ts'
import { isSuccess, parseRetryAfter } from '../domain/delivery-schedule.ts'
import type { Log } from '../observe/log.ts'
import type { SafeRequest } from './safe-request.ts'

const USER_AGENT = 'Mailhatch-Webhook/1'
/** Enough to recognise an error page, without archiving responses. */
const RESPONSE_CHARACTERS_MAX = 1_024

/** What an attempt needs of the endpoint. The secrets are encrypted. */
export type AttemptEndpoint = {
  id: string
  url: string
  secret: string
  /** Old secrets also sign until they expire. */
  oldSecrets: { secret: string; until: number }[]
}

export type AttemptResult = {
  httpStatus: number | null
  responseBody: string | null
  latencyMs: number
  /** A sentence for the customer; null on success. */
  error: string | null
  retryAfterMs: number | null
}

/** Posts one event to an endpoint once. Never throws. */
export type SendAttempt = (
  endpoint: AttemptEndpoint,
  event: { eventId: string; body: string },
) => Promise<AttemptResult>

type Ports = {
  request: SafeRequest
  decryptSecret: (encrypted: string) => string
  /** Headers that make the receiver part of a trace. */
  traceHeaders: () => Record<string, string>
  now: () => number
  log: Pick<Log, 'error'>
}

export function createAttempts({ request, decryptSecret, traceHeaders, now, log }: Ports): SendAttempt {
  /** Signed for every attempt, so that a receiver can refuse old timestamps. */
  async function signedHeaders(endpoint: AttemptEndpoint, { eventId: id, body }: { eventId: string; body: string }) {
    const at = now()
    const signing = [...endpoint.oldSecrets.filter(({ until }) => until > at), endpoint]
    const secrets = signing.map(({ secret }) => decryptSecret(secret))
    return signWebhook({ id, body, secrets, timestamp: Math.floor(at / 1000) })
  }

  return async (endpoint, event) => {
    const startedAt = performance.now()
    const elapsedMs = () => Math.round(performance.now() - startedAt)
    try {
      const signature = await signedHeaders(endpoint, event)
      const headers = { ...traceHeaders(), ...signature, 'content-type': 'application/json', 'user-agent': USER_AGENT }
      const response = await request(endpoint.url, { headers, body: event.body })
      if (response.kind === 'failed') return withoutResponse(response.error, elapsedMs())
      return {
        httpStatus: response.status,
        responseBody: readable(response.body),
        latencyMs: elapsedMs(),
        error: isSuccess(response.status) ? null : refusalSentence(response.status),
        retryAfterMs: parseRetryAfter(response.headers['retry-after'], now()),
      }
    } catch (error) {
      // A secret encrypted with another key, or a bug. The customer need not know the details.
      log.error({ err: error, endpointId: endpoint.id }, 'sending a webhook failed')
      return withoutResponse('The request could not be sent because of a problem on our side.', elapsedMs())
    }
  }
}

function withoutResponse(error: string, latencyMs: number): AttemptResult {
  return { httpStatus: null, responseBody: null, latencyMs, error, retryAfterMs: null }
}

function refusalSentence(status: number): string {
  const isRedirect = status >= 300 && status <= 399
  return isRedirect
    ? `The endpoint responded with a redirect (${status}); redirects are not followed.`
    : `The endpoint responded with ${status}.`
}

/** Makes any bytes representable in both databases and in JSON. */
function readable(body: Uint8Array): string {
  const text = new TextDecoder().decode(body).replaceAll('\0', '')
  return cutText(text, RESPONSE_CHARACTERS_MAX)
}
