import { AwsV4Signer } from 'aws4fetch'
import { withRetries } from './retries.ts'
import { encodeStrictly, objectUrl, type S3Location } from './s3-location.ts'
import { parseXml, textOf, type XmlElement } from './s3-xml.ts'

/** How long to wait for an answer, and for how long to begin another try. */
type Patience = { silenceMs: number; retryForMs: number }

/** People wait for what is read or removed, and clients commonly for 30 s: three tries are over before. */
const AWAITED: Patience = { silenceMs: 8_000, retryForMs: 5_000 }
/**
 * For storing and listing. A part of 5 MiB passes in this time at 100 kB/s; senders wait ten minutes after their mail
 * (RFC 5321 4.5.3.2.6). Lists of large buckets take their time. A storage that refuses (409, 503 SlowDown) is asked
 * again for 20 s, within the SMTP transaction: eight times or so, while the sender waits.
 */
const PATIENT: Patience = { silenceMs: 60_000, retryForMs: 20_000 }
const PAUSE_MS = 250
/** Of what a server says about an error; it ends up in a log line. */
const MESSAGE_CHARACTERS_MAX = 300
/** 409 is OperationAborted or ConditionalRequestConflict: another request for the same key was under way. */
const PASSING_STATUSES = [408, 409, 425, 429, 500, 502, 503, 504]
/** S3 answers 400 when the bytes of a request came too slowly. */
const PASSING_CODES = ['RequestTimeout', 'SlowDown']

export type S3Credentials = { accessKeyId: string; secretAccessKey: string }

export type S3Options = {
  location: S3Location
  credentials: S3Credentials
  fetch?: (url: URL, init: RequestInit) => Promise<Response>
  timing?: { awaited: Patience; patient: Patience; pauseMs: number }
}

export type S3Request = {
  method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** Without one, the bucket itself is meant. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
}

type S3Failure = { status: number; code: string; restMs?: number; cause?: unknown }

/** `status` is 0 where no answer came. `code` is S3's, such as NoSuchKey. `restMs` is what Retry-After asks for. */
export class S3Error extends Error {
  readonly status: number
  readonly code: string
  readonly restMs: number

  constructor(message: string, { status, code, restMs = 0, cause }: S3Failure) {
    super(message, { cause })
    this.name = 'S3Error'
    this.status = status
    this.code = code
    this.restMs = restMs
  }
}

export type S3Client = ReturnType<typeof createS3Client>

/** Signed calls to one bucket, repeated when the trouble may pass: every call of ours may be made twice. */
export function createS3Client({ location, credentials, ...options }: S3Options) {
  const { timing = { awaited: AWAITED, patient: PATIENT, pauseMs: PAUSE_MS } } = options
  const { fetch: doFetch = fetch } = options
  const signingKeys = new Map<string, ArrayBuffer>()

  async function sign({ method, key, query = {}, headers, body }: S3Request) {
    const search = Object.entries(query).map(([name, value]) => `${name}=${encodeStrictly(value)}`)
    const url = key === undefined ? location.url : objectUrl(location, key)
    const signer = new AwsV4Signer({
      method,
      url: search.length === 0 ? url : `${url}?${search.join('&')}`,
      // The hash binds the body to the signature: bytes that changed on their way are refused, not stored.
      headers: { ...headers, 'x-amz-content-sha256': hex(await sha256(body)) },
      ...credentials,
      service: 's3',
      region: location.region,
      cache: signingKeys,
    })
    return signer.sign()
  }

  async function sendOnce<Answer>(request: S3Request, read: (response: Response) => Promise<Answer>): Promise<Answer> {
    const { url, headers } = await sign(request)
    // Not signed, since proxies may change it: a length is that of the object only if nothing compresses it.
    headers.set('accept-encoding', 'identity')
    const { silenceMs } = patienceFor(request)
    const overdue = new AbortController()
    const timer = setTimeout(() => overdue.abort(new Error(`no answer within ${silenceMs} ms`)), silenceMs)
    try {
      const { method, body } = request
      // The bytes are never in shared memory, which the types allow and fetch does not.
      const init = { method, headers, ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}) }
      const response = await doFetch(url, { ...init, redirect: 'manual', signal: overdue.signal })
      if (response.status >= 300) throw await refusalOf(request, response)
      return await read(response)
    } catch (error) {
      if (error instanceof S3Error) throw error
      throw new S3Error(`S3 ${request.method} to ${url.host}: ${reasonOf(error)}`, {
        status: 0,
        code: 'NoAnswer',
        cause: error,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  function patienceFor(request: S3Request): Patience {
    return isAwaited(request) ? timing.awaited : timing.patient
  }

  function send<Answer>(request: S3Request, read: (response: Response) => Promise<Answer>): Promise<Answer> {
    const { retryForMs: forMs } = patienceFor(request)
    return withRetries(() => sendOnce(request, read), { forMs, pauseMs: timing.pauseMs, restOf })
  }

  return {
    /** The answer with its body still to be read; the time limit ends with its headers. */
    open: (request: S3Request) => send(request, async (response) => response),
    /** The answer's headers, once its body has come in. */
    call: (request: S3Request) =>
      send(request, async (response) => {
        await response.arrayBuffer()
        return response.headers
      }),
    callForXml: (request: S3Request) => send(request, async (response) => readXml(request, await response.text())),
  }
}

function restOf(error: unknown): number | null {
  if (!(error instanceof S3Error)) return null
  const { status, code, restMs } = error
  return status === 0 || PASSING_STATUSES.includes(status) || PASSING_CODES.includes(code) ? restMs : null
}

/** One object is read, or some are removed. */
function isAwaited({ method, key, query }: S3Request): boolean {
  if (method === 'GET') return key !== undefined
  return method === 'HEAD' || method === 'DELETE' || query?.['delete'] !== undefined
}

/** S3 may find its mistake after it has begun to answer 200: the body then says what went wrong. */
function readXml(request: S3Request, text: string): XmlElement {
  let element: XmlElement
  try {
    element = parseXml(text)
  } catch (cause) {
    throw new S3Error(`S3 ${request.method}: ${reasonOf(cause)}`, { status: 200, code: 'NotXml', cause })
  }
  if (element.name === 'Error') throw errorOf(request, 500, element)
  return element
}

async function refusalOf(request: S3Request, response: Response): Promise<S3Error> {
  const text = await response.text()
  const restMs = readRetryAfter(response.headers.get('retry-after'))
  try {
    return errorOf(request, response.status, parseXml(text), restMs)
  } catch {
    // A proxy's page, or a HEAD request, to which no body is sent.
    return errorOf(request, response.status, null, restMs)
  }
}

/** Seconds or a date (RFC 9110 10.2.3); 0 for none, and for what is neither. */
function readRetryAfter(value: string | null): number {
  if (value === null) return 0
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Math.max(0, ms || 0)
}

function errorOf({ method }: S3Request, status: number, element: XmlElement | null, restMs = 0): S3Error {
  const code = (element && textOf(element, 'Code')) ?? `Status${status}`
  const said = (element && textOf(element, 'Message')) ?? ''
  const message = `S3 answered ${method} with ${status} ${code}${said && ': '}${said}`
  return new S3Error(message.slice(0, MESSAGE_CHARACTERS_MAX), { status, code, restMs })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Node's "fetch failed" keeps the reason in its cause, and there one for each address that a name has.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}

export async function sha256(bytes: Uint8Array = new Uint8Array(0)): Promise<Uint8Array> {
  // As above: never shared memory.
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
