import { sleep, RequestTimeout, withTimeout } from './abort.ts'
import { ConnectionError, MailhatchError } from './errors.ts'
import { millisecondsOf, type Duration } from './duration.ts'
import { anything, checkOptions, checkTimer, type OptionChecks } from './options.ts'
import { refusalOf } from './refusal.ts'

/** Default time limit of a request. */
const TIMEOUT_MS = 30_000
const RETRIES = 2
/** Delay before the first retry; doubles each time. */
const RETRY_DELAY_MS = 250
/** If `Retry-After` is longer than this, the error is thrown instead. */
const RETRY_AFTER_MS_MAX = 30_000

/** Options of every method: a signal to abort the request, and its time limit. */
export type RequestOptions = { signal?: AbortSignal | undefined; timeout?: Duration | undefined }

export const REQUEST_OPTIONS: OptionChecks<RequestOptions> = { signal: anything, timeout: checkTimer }

/** The options that a caller gave, if they are valid. */
export function requestOptions(options: RequestOptions): RequestOptions {
  return checkOptions('a request', options, REQUEST_OPTIONS)
}

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

export type Call = RequestOptions & {
  path: string
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  query?: Query
  body?: unknown
  headers?: Record<string, string>
  retries?: number
  /** An error status that is a valid response to this call. */
  alsoAccept?: number
}

export type TransportOptions = {
  /** Without a trailing slash. */
  url: string
  apiKey: string | undefined
  timeout?: Duration | undefined
  retries?: number | undefined
  fetch?: typeof fetch | undefined
}

export type Transport = ReturnType<typeof createTransport>

/** HTTP requests to one server, with credentials, time limits, retries and typed errors. */
export function createTransport(options: TransportOptions) {
  const { url } = options
  const shownUrl = withoutCredentials(url)
  let apiKey = options.apiKey?.trim()
  // Not called as a method of our object: browsers throw then.
  const send = options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request))

  async function ask(call: Call, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { ...call.headers }
    if (apiKey) headers['authorization'] = `Bearer ${apiKey}`
    if (call.body !== undefined) headers['content-type'] = 'application/json'
    const body = call.body === undefined ? null : JSON.stringify(call.body)
    const response = await send(`${url}${call.path}${searchOf(call.query)}`, {
      method: call.method ?? 'GET',
      headers,
      body,
      signal,
    })
    if (response.ok || response.status === call.alsoAccept) return response
    throw refusalOf(response, await response.text(), Boolean(apiKey))
  }

  /** The error to show to the caller; `timeoutMs` is the time limit of the request. */
  function failureOf(error: unknown, timeoutMs: number): unknown {
    if (error instanceof MailhatchError) return error
    if (error instanceof RequestTimeout)
      return new ConnectionError(`${shownUrl} did not respond within ${timeoutMs} ms.`, error)
    // Node repeats a URL with a user name and password, which it refuses.
    const reason = withoutCredentials(reasonOf(error))
    return new ConnectionError(
      reason === 'ECONNREFUSED'
        ? `No server at ${shownUrl}. Start one with \`mailhatch serve\`, or set MAILHATCH_URL.`
        : `${shownUrl} is unreachable (${reason}). Is Mailhatch running there?`,
      error,
    )
  }

  /** One request. The time limit includes reading the response. */
  async function attempt<Value>(call: Call, read: (response: Response) => Promise<Value>): Promise<Value> {
    const timeoutMs = millisecondsOf(call.timeout ?? options.timeout ?? TIMEOUT_MS)
    try {
      return await withTimeout({ timeoutMs, signal: call.signal }, async (signal) => read(await ask(call, signal)))
    } catch (error) {
      call.signal?.throwIfAborted()
      throw failureOf(error, timeoutMs)
    }
  }

  async function request<Value>(call: Call, read: (response: Response) => Promise<Value>): Promise<Value> {
    for (let left = call.retries ?? options.retries ?? RETRIES, delayMs = RETRY_DELAY_MS; ; left--, delayMs *= 2) {
      try {
        return await attempt(call, read)
      } catch (error) {
        if (left <= 0 || !canRetry(call, error)) throw error
        await sleep(retryDelay(error, delayMs), call.signal)
      }
    }
  }

  return {
    url,
    ask,
    failureOf,
    /** The whole response body. */
    json: <Body>(call: Call): Promise<Body> => request(call, readJson<Body>),
    /** The `data` of the response. */
    data: async <Data>(call: Call): Promise<Data> => (await request(call, readJson<{ data: Data }>)).data,
    bytes: (call: Call): Promise<Uint8Array> =>
      request(call, async (response) => new Uint8Array(await response.arrayBuffer())),
    useKey(key: string) {
      apiKey = key
    },
  }
}

/** Credentials in a URL stay out of messages. */
function withoutCredentials(text: string): string {
  return text.replaceAll(/\/\/[^/\s]*@/g, '//(hidden)@')
}

/** The server is unreachable or overloaded; the same request may succeed later. */
export function isTransient(error: unknown): error is MailhatchError {
  if (error instanceof ConnectionError) return true
  return error instanceof MailhatchError && [429, 502, 503, 504].includes(error.status)
}

/** A write is retried only if the server did not process it. */
function canRetry({ method = 'GET' }: Call, error: unknown): error is MailhatchError {
  if (!isTransient(error) || (error.retryAfterMs ?? 0) > RETRY_AFTER_MS_MAX) return false
  return method === 'GET' || error.status === 429 || error.code === 'server_busy'
}

/** Not before the time that the server asked for, and not together with all other clients that it asked. */
export function retryDelay({ retryAfterMs }: MailhatchError, otherwiseMs: number): number {
  return retryAfterMs === undefined ? jittered(otherwiseMs) : retryAfterMs * (1 + Math.random() / 2)
}

/** Spreads the reconnects of many clients that lost their connection at the same time. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random())
}

function searchOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each))
  }
  const text = String(search)
  return text && `?${text}`
}

async function readJson<Body>(response: Response): Promise<Body> {
  const text = await response.text()
  try {
    // The caller declares the type; the server's tests check it.
    return JSON.parse(text) as Body
  } catch {
    throw refusalOf(response, text)
  }
}

/** `fetch` says "fetch failed" and keeps the reason, such as ECONNREFUSED, in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message
  return error.message
}
