import { sleep, TimeUp, withTimeout } from './abort.ts'
import { ConnectionError, MailhatchError } from './errors.ts'
import { refusalOf } from './refusal.ts'

/** How long one request may take, unless told. */
const TIMEOUT_MS = 30_000
const RETRIES = 2
/** Before the second try; doubled for each further one. */
const RETRY_DELAY_MS = 250
/** Whoever is asked to stay away longer should hear of it. */
const RETRY_DELAY_MS_MAX = 30_000

/** What every method takes: a signal that ends the request, and how many milliseconds it may take. */
export type RequestOptions = { signal?: AbortSignal | undefined; timeout?: number | undefined }

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

export type Call = RequestOptions & {
  path: string
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  query?: Query
  body?: unknown
  headers?: Record<string, string>
  retries?: number
  /** A status that is an answer here, although it is none of success. */
  answer?: number
}

export type TransportOptions = {
  /** Without a slash at its end. */
  url: string
  apiKey: string | undefined
  timeout?: number | undefined
  retries?: number | undefined
  fetch?: typeof fetch | undefined
}

export type Transport = ReturnType<typeof createTransport>

/** Speaks HTTP with one server: credentials, time limits, retries, and refusals as errors. */
export function createTransport(options: TransportOptions) {
  const { url } = options
  let apiKey = options.apiKey?.trim()
  // Not bound to our object: browsers refuse that.
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
    if (response.ok || response.status === call.answer) return response
    throw refusalOf(response, await response.text(), Boolean(apiKey))
  }

  /** What the caller of the client gets to see of an error; `timeoutMs` is the time that was given. */
  function failureOf(error: unknown, timeoutMs: number): unknown {
    if (error instanceof MailhatchError) return error
    if (error instanceof TimeUp) return new ConnectionError(`${url} did not answer within ${timeoutMs} ms.`, error)
    const reason = reasonOf(error)
    return new ConnectionError(
      reason === 'ECONNREFUSED'
        ? `Nothing answers at ${url}: start a server with \`mailhatch serve\`, or set MAILHATCH_URL to where one runs.`
        : `${url} cannot be reached (${reason}). Is Mailhatch running there?`,
      error,
    )
  }

  /** One request; the time limit covers reading the answer too. */
  async function attempt<Value>(call: Call, read: (response: Response) => Promise<Value>): Promise<Value> {
    const timeoutMs = call.timeout ?? options.timeout ?? TIMEOUT_MS
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
        const waitMs = error instanceof MailhatchError ? (error.retryAfterMs ?? jittered(delayMs)) : Infinity
        if (left <= 0 || !mayRepeat(call, error) || waitMs > RETRY_DELAY_MS_MAX) throw error
        await sleep(waitMs, call.signal)
      }
    }
  }

  return {
    ask,
    failureOf,
    /** The whole body of the answer. */
    json: <Body>(call: Call): Promise<Body> => request(call, readJson<Body>),
    /** What the answer has in `data`. */
    data: async <Data>(call: Call): Promise<Data> => (await request(call, readJson<{ data: Data }>)).data,
    bytes: (call: Call): Promise<Uint8Array> =>
      request(call, async (response) => new Uint8Array(await response.arrayBuffer())),
    useKey(key: string) {
      apiKey = key
    },
  }
}

/** The server is away or asks to slow down; the same request may succeed in a moment. */
export function isPassing(error: unknown): error is MailhatchError {
  if (error instanceof ConnectionError) return true
  return error instanceof MailhatchError && [429, 502, 503, 504].includes(error.status)
}

/** What changes something is repeated only where the server said that it did not even look at it. */
function mayRepeat({ method = 'GET' }: Call, error: unknown): boolean {
  if (!isPassing(error)) return false
  return method === 'GET' || error.status === 429 || error.code === 'server_busy'
}

/** Many clients that were cut off together should not come back together. */
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
    // The shape is what the method that asks declares; the server's tests hold it to that.
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
