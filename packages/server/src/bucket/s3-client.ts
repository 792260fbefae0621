import { parseRetryAfter } from '../domain/delivery-schedule.ts'
import { reasonOf } from '../domain/reason.ts'
import { AwsV4Signer } from 'aws4fetch'
import { withRetries } from './retries.ts'
import { encodeStrictly, objectUrl, type S3Location } from './s3-location.ts'
import { parseXml, textOf, type XmlElement } from './s3-xml.ts'

/** How long to wait for a response, and for how long to start further attempts. */
type Timeouts = { responseMs: number; retryForMs: number }

/** Users wait for reads and deletions, and clients commonly time out after 30 s. Three attempts take less. */
const INTERACTIVE: Timeouts = { responseMs: 8_000, retryForMs: 5_000 }
/**
 * For writes and lists. At 100 kB/s, a part of 5 MiB takes less than this. Senders wait ten minutes after sending their
 * mail (RFC 5321 4.5.3.2.6), and lists of large buckets are slow. Requests that the storage refuses (409, 503 SlowDown)
 * are retried for 20 s within the SMTP transaction, about eight times.
 */
const BACKGROUND: Timeouts = { responseMs: 60_000, retryForMs: 20_000 }
const PAUSE_MS = 250
/** Part of a server's error message that is kept for the log. */
const MESSAGE_CHARACTERS_MAX = 300
/** 409 is OperationAborted or ConditionalRequestConflict: a concurrent request for the same key. */
const TEMPORARY_STATUSES = [408, 409, 425, 429, 500, 502, 503, 504]
/** S3 responds with 400 RequestTimeout when it receives the request too slowly. */
const TEMPORARY_CODES = ['RequestTimeout', 'SlowDown']

export type S3Credentials = { accessKeyId: string; secretAccessKey: string }

export type S3Options = {
  location: S3Location
  credentials: S3Credentials
  fetch?: (url: URL, init: RequestInit) => Promise<Response>
  timing?: { interactive: Timeouts; background: Timeouts; pauseMs: number }
}

export type S3Request = {
  method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** Without a key, the request is for the bucket itself. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
}

type S3Failure = { status: number; code: string; retryAfterMs?: number; cause?: unknown }

/** `status` is 0 if there was no response. `code` is S3's code, such as NoSuchKey. `retryAfterMs` is its Retry-After. */
export class S3Error extends Error {
  readonly status: number
  readonly code: string
  readonly retryAfterMs: number

  constructor(message: string, { status, code, retryAfterMs = 0, cause }: S3Failure) {
    super(message, { cause })
    this.name = 'S3Error'
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

export type S3Client = ReturnType<typeof createS3Client>

/** Signed calls to one bucket. Temporary errors are retried, because all our calls are idempotent. */
export function createS3Client({ location, credentials, ...options }: S3Options) {
  const { timing = { interactive: INTERACTIVE, background: BACKGROUND, pauseMs: PAUSE_MS } } = options
  const { fetch: doFetch = fetch } = options
  const signingKeys = new Map<string, ArrayBuffer>()

  async function sign({ method, key, query = {}, headers, body }: S3Request) {
    const search = Object.entries(query).map(([name, value]) => `${name}=${encodeStrictly(value)}`)
    const url = key === undefined ? location.url : objectUrl(location, key)
    const signer = new AwsV4Signer({
      method,
      url: search.length === 0 ? url : `${url}?${search.join('&')}`,
      // The hash binds the body to the signature: the storage refuses bytes that changed in transit.
      headers: { ...headers, 'x-amz-content-sha256': hex(await sha256(body)) },
      ...credentials,
      service: 's3',
      region: location.region,
      cache: signingKeys,
    })
    return signer.sign()
  }

  async function sendOnce<Result>(request: S3Request, read: (response: Response) => Promise<Result>): Promise<Result> {
    const { url, headers } = await sign(request)
    // Not signed, since proxies may change it. Without compression, the declared length is that of the object.
    headers.set('accept-encoding', 'identity')
    const { responseMs } = timeoutsFor(request)
    const overdue = new AbortController()
    const timer = setTimeout(() => overdue.abort(new Error(`no response within ${responseMs} ms`)), responseMs)
    try {
      const { method, body } = request
      // The bytes are never in shared memory, which the type allows and fetch does not.
      const init = { method, headers, ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}) }
      const response = await doFetch(url, { ...init, redirect: 'manual', signal: overdue.signal })
      if (response.status >= 300) throw await errorFromResponse(request, response)
      return await read(response)
    } catch (error) {
      if (error instanceof S3Error) throw error
      throw new S3Error(`S3 ${request.method} to ${url.host}: ${reasonOf(error)}`, {
        status: 0,
        code: 'NoResponse',
        cause: error,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  function timeoutsFor(request: S3Request): Timeouts {
    return isInteractive(request) ? timing.interactive : timing.background
  }

  function send<Result>(request: S3Request, read: (response: Response) => Promise<Result>): Promise<Result> {
    const { retryForMs: forMs } = timeoutsFor(request)
    return withRetries(() => sendOnce(request, read), { forMs, pauseMs: timing.pauseMs, retryAfterOf })
  }

  return {
    /** The response with an unread body; the timeout covers only the headers. */
    open: (request: S3Request) => send(request, async (response) => response),
    /** The headers of the response, after its body was received. */
    call: (request: S3Request) =>
      send(request, async (response) => {
        await response.arrayBuffer()
        return response.headers
      }),
    callForXml: (request: S3Request) => send(request, async (response) => readXml(request, await response.text())),
  }
}

function retryAfterOf(error: unknown): number | null {
  if (!(error instanceof S3Error)) return null
  const { status, code, retryAfterMs } = error
  return status === 0 || TEMPORARY_STATUSES.includes(status) || TEMPORARY_CODES.includes(code) ? retryAfterMs : null
}

/** Reads one object, or deletes some. */
function isInteractive({ method, key, query }: S3Request): boolean {
  if (method === 'GET') return key !== undefined
  return method === 'HEAD' || method === 'DELETE' || query?.['delete'] !== undefined
}

/** S3 can fail after it has sent a 200. The body then contains the error. */
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

async function errorFromResponse(request: S3Request, response: Response): Promise<S3Error> {
  const text = await response.text()
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? undefined, Date.now()) ?? 0
  try {
    return errorOf(request, response.status, parseXml(text), retryAfterMs)
  } catch {
    // The page of a proxy, or a HEAD response, which has no body.
    return errorOf(request, response.status, null, retryAfterMs)
  }
}

function errorOf({ method }: S3Request, status: number, element: XmlElement | null, retryAfterMs = 0): S3Error {
  const code = (element && textOf(element, 'Code')) ?? `Status${status}`
  const detail = (element && textOf(element, 'Message')) ?? ''
  const message = `S3 responded to ${method} with ${status} ${code}${detail && ': '}${detail}`
  return new S3Error(message.slice(0, MESSAGE_CHARACTERS_MAX), { status, code, retryAfterMs })
}

export async function sha256(bytes: Uint8Array = new Uint8Array(0)): Promise<Uint8Array> {
  // See above: never shared memory.
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
