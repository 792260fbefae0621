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

/** For JSON errors without a code, from compatible servers other than Mailhatch. */
export const UNSPECIFIED_CODE = 'unspecified'

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
  forbidden: 'This key’s scope or mailbox does not allow it. Use a key with more permissions.',
}

/** The error for an unsuccessful response; `text` is its body. */
export function refusalOf({ status, statusText, headers }: Response, text: string, hasKey = true): MailhatchError {
  const body = readBody(text) ?? {
    error: `The server responded with ${`${status} ${statusText}`.trim()}, but not like Mailhatch. Check the url.`,
    code: 'unknown',
    requestId: '',
  }
  const advice = ADVICE[status === 401 && !hasKey ? 'noKey' : body.code]
  const sentences = [body.error, detailsText(body), advice].filter((sentence) => sentence !== undefined)
  const Kind = KINDS[status] ?? MailhatchError
  const retryAfterMs = readRetryAfter(headers.get('retry-after'))
  return new Kind(sentences.map(asSentence).join(' '), { status, body, retryAfterMs })
}

/** Null if the response is not from Mailhatch, but for example from a proxy. */
function readBody(text: string): ErrorBody | null {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || !('error' in body)) return null
    // Mailhatch sends the other fields too; a compatible server may not.
    return { code: UNSPECIFIED_CODE, requestId: '', ...(body as { error: string }) }
  } catch {
    return null
  }
}

/** Undefined if the error message already names the field. */
function detailsText({ error, details = {} }: ErrorBody): string | undefined {
  const lines = Object.entries(details).map(([field, problems]) => `${field}: ${problems.join(', ')}`)
  return error.startsWith('Invalid') || lines.length === 0 ? undefined : lines.join('; ')
}

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Seconds, with decimals. Dates are ignored: they would depend on both clocks. */
function readRetryAfter(value: string | null): number | undefined {
  const seconds = value === null ? NaN : Number(value)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}
