import { signWebhook } from '@mailhatch/sdk'
import { cutText } from '../domain/cut-text.ts'
import { isSuccess, parseRetryAfter } from '../domain/delivery-schedule.ts'
import type { Log } from '../log.ts'
import type { SafeRequest } from './safe-request.ts'

const USER_AGENT = 'Mailhatch-Webhook/1'
/** Enough to recognise an error page; what a receiver answers is nobody's archive. */
const RESPONSE_CHARACTERS_MAX = 1_024

/** What an attempt needs to know of the endpoint; secrets are sealed. */
export type AttemptEndpoint = {
  id: string
  url: string
  secret: string
  /** Each signs as well until its time is over. */
  oldSecrets: { secret: string; until: number }[]
}

export type AttemptResult = {
  httpStatus: number | null
  responseBody: string | null
  latencyMs: number
  /** A sentence for the customer; null when it was a success. */
  error: string | null
  retryAfterMs: number | null
}

/** Posts one event to an endpoint, once; never throws. */
export type Attempt = (endpoint: AttemptEndpoint, event: { eventId: string; body: string }) => Promise<AttemptResult>

type Ports = {
  request: SafeRequest
  openSecret: (sealed: string) => string
  now: () => number
  log: Pick<Log, 'error'>
}

export function createAttempts({ request, openSecret, now, log }: Ports): Attempt {
  /** Signed anew each time, so that a receiver can refuse what is old. */
  async function signedHeaders(endpoint: AttemptEndpoint, { eventId: id, body }: { eventId: string; body: string }) {
    const at = now()
    const signing = [...endpoint.oldSecrets.filter(({ until }) => until > at), endpoint]
    const secrets = signing.map(({ secret }) => openSecret(secret))
    return signWebhook({ id, body, secrets, timestamp: Math.floor(at / 1000) })
  }

  return async (endpoint, event) => {
    const startedAt = performance.now()
    const elapsedMs = () => Math.round(performance.now() - startedAt)
    try {
      const signature = await signedHeaders(endpoint, event)
      const headers = { ...signature, 'content-type': 'application/json', 'user-agent': USER_AGENT }
      const answer = await request(endpoint.url, { headers, body: event.body })
      if (answer.kind === 'failed') return unanswered(answer.error, elapsedMs())
      return {
        httpStatus: answer.status,
        responseBody: readable(answer.body),
        latencyMs: elapsedMs(),
        error: isSuccess(answer.status) ? null : refusalSentence(answer.status),
        retryAfterMs: parseRetryAfter(answer.headers['retry-after'], now()),
      }
    } catch (error) {
      // A secret sealed with another key, or a fault of ours: neither is the customer's business in detail.
      log.error({ err: error, endpointId: endpoint.id }, 'a webhook could not be sent')
      return unanswered('The request could not be made because of a problem on our side.', elapsedMs())
    }
  }
}

function unanswered(error: string, latencyMs: number): AttemptResult {
  return { httpStatus: null, responseBody: null, latencyMs, error, retryAfterMs: null }
}

function refusalSentence(status: number): string {
  const isRedirect = status >= 300 && status <= 399
  return isRedirect
    ? `The endpoint answered with a redirect (${status}); redirects are not followed.`
    : `The endpoint answered ${status}.`
}

/** What both databases and JSON can hold, of whatever bytes came back. */
function readable(body: Uint8Array): string {
  const text = new TextDecoder().decode(body).replaceAll('\0', '')
  return cutText(text, RESPONSE_CHARACTERS_MAX)
}
