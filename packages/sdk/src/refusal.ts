import {
  AuthenticationError,
  ConflictError,
  ForbiddenError,
  MailhatchError,
  NotFoundError,
  RateLimitError,
  ValidationError,
} from './errors.ts'
import type { ErrorBody } from './wire.ts'

/** Of a refusal in JSON that has a sentence but no code: a server of the same kind that is not ours. */
export const CODE_OF_OTHERS = 'unspecified'

const KINDS: Record<number, typeof MailhatchError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  422: ValidationError,
  429: RateLimitError,
}

const ADVICE: Record<string, string> = {
  noKey: 'No API key was given: pass `apiKey`, or set MAILHATCH_API_KEY.',
  unauthorized: 'Check the API key (`apiKey`, or MAILHATCH_API_KEY) and the server (`url`, or MAILHATCH_URL).',
  key_expired: 'Use another key.',
  forbidden: 'This key’s scope or mailbox does not allow it; use a key that does.',
}

/** The error for an answer that is none of success; `text` is its body. */
export function refusalOf({ status, statusText, headers }: Response, text: string, hasKey = true): MailhatchError {
  const body = readBody(text) ?? {
    error: `The server answered ${`${status} ${statusText}`.trim()}, not as Mailhatch does. Check the url.`,
    code: 'unknown',
    requestId: '',
  }
  const advice = ADVICE[status === 401 && !hasKey ? 'noKey' : body.code]
  const sentences = [body.error, sayDetails(body), advice].filter((sentence) => sentence !== undefined)
  const Kind = KINDS[status] ?? MailhatchError
  const retryAfterMs = readRetryAfter(headers.get('retry-after'))
  return new Kind(sentences.map(asSentence).join(' '), { status, body, retryAfterMs })
}

/** Null when something else than Mailhatch answered, a proxy for example. */
function readBody(text: string): ErrorBody | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || !('error' in body)) return null
    // What else it has is as wire.ts says, or was sent by a server that has other things to say.
    return { code: CODE_OF_OTHERS, requestId: '', ...(body as { error: string }) }
  } catch {
    return null
  }
}

/** Undefined where the sentence itself names the field. */
function sayDetails({ error, details = {} }: ErrorBody): string | undefined {
  const lines = Object.entries(details).map(([field, problems]) => `${field}: ${problems.join(', ')}`)
  return error.startsWith('Invalid') || lines.length === 0 ? undefined : lines.join('; ')
}

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Seconds, decimals allowed; a date would need the two clocks to agree. */
function readRetryAfter(value: string | null): number | undefined {
  const seconds = value === null ? NaN : Number(value)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}
