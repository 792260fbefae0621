import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorBody, MessageDetail, MessagePage } from '@mailhatch/sdk'
import { expect } from 'vitest'
import { serverEvents, type ServerEvent } from './server-events.ts'

export type Mailbox = {
  id: string
  name: string
  domain: string
  address: string
  createdAt: string
  updatedAt: string
}
export type RotatedKey = { key: string; apiKey: Record<string, unknown> }
/** A query string, or names and values to be escaped. */
export type Query = string | Record<string, string | number>

type Credentials = { baseUrl: string; apiKey: string }
type Waiting = { intervalMs?: number; timeoutMs?: number }
type Streaming = { signal?: AbortSignal; lastEventId?: string }

export class HttpError extends Error {
  readonly response: Response
  readonly body: ErrorBody

  constructor(response: Response, body: ErrorBody) {
    super(body.error)
    this.response = response
    this.body = body
  }
}
export class AuthenticationError extends HttpError {}
export class ForbiddenError extends HttpError {}
export class NotFoundError extends HttpError {}
export class WaitTimeoutError extends Error {}

const ERROR_BY_STATUS: Record<number, typeof HttpError> = {
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
}

/** A third-party client: it knows only the documented routes, `fetch`, a base URL and a key. */
export function publishedClient({ baseUrl, apiKey }: Credentials) {
  async function send(method: string, path: string, options: RequestInit = {}): Promise<Response> {
    const headers = new Headers(options.headers)
    headers.set('Authorization', `Bearer ${apiKey}`)
    const response = await fetch(baseUrl + path, { ...options, method, headers })
    if (response.ok) return response
    const Failure = ERROR_BY_STATUS[response.status] ?? HttpError
    // Every failure has this shape; the tests that read it check it.
    throw new Failure(response, (await response.json()) as ErrorBody)
  }

  async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const json = { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
    const response = await send(method, path, body === undefined ? {} : json)
    // The shape is what the tests check.
    return (await response.json()) as Body
  }

  const data = async <Data>(method: string, path: string, body?: unknown): Promise<Data> =>
    (await call<{ data: Data }>(method, path, body)).data

  const list = (query: Query = ''): Promise<MessagePage> => call('GET', `/v1/messages${search(query)}`)

  async function* pages(query: Record<string, string | number> = {}): AsyncGenerator<MessagePage['data']> {
    let cursor: Record<string, string> = {}
    for (;;) {
      const page = await list({ ...query, ...cursor })
      yield page.data
      const last = page.data.at(-1)
      if (!page.has_more || last === undefined) return
      cursor = { after_id: last.id }
    }
  }

  /** No match yet is a response that keeps clients polling, not a failure. */
  async function latest(query: Query = ''): Promise<MessageDetail | null> {
    try {
      return await data<MessageDetail>('GET', `/v1/messages/latest${search(query)}`)
    } catch (error) {
      if (error instanceof NotFoundError) return null
      throw error
    }
  }

  async function waitFor(query: Query, { intervalMs = 20, timeoutMs = 10_000 }: Waiting = {}): Promise<MessageDetail> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const message = await latest(query)
      if (message !== null) return message
      if (Date.now() + intervalMs > deadline) throw new WaitTimeoutError(`No message within ${timeoutMs} ms`)
      await sleep(intervalMs)
    }
  }

  async function* stream(query: Query = '', { signal, lastEventId }: Streaming = {}): AsyncGenerator<ServerEvent> {
    const headers = { Accept: 'text/event-stream', ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) }
    const options = signal === undefined ? { headers } : { headers, signal }
    const response = await send('GET', `/v1/messages/stream${search(query)}`, options)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    yield* serverEvents(response.body!)
  }

  return {
    list,
    pages,
    latest,
    waitFor,
    stream,
    get: (id: string): Promise<MessageDetail> => data('GET', `/v1/messages/${id}`),
    raw: (id: string) => send('GET', `/v1/messages/${id}/raw`),
    attachment: (id: string, which: string | number) => send('GET', `/v1/messages/${id}/attachments/${which}`),
    deleteMessage: (id: string): Promise<{ id: string }> => data('DELETE', `/v1/messages/${id}`),
    deleteMessages: (query: Query): Promise<{ deleted: number }> => data('DELETE', `/v1/messages${search(query)}`),
    listMailboxes: (query: Query = ''): Promise<Mailbox[]> => data('GET', `/v1/mailboxes${search(query)}`),
    createMailbox: (name: unknown): Promise<Mailbox> => data('POST', '/v1/mailboxes', { name }),
    renameMailbox: (id: string, name: unknown): Promise<Mailbox> => data('PATCH', `/v1/mailboxes/${id}`, { name }),
    deleteMailbox: (id: string): Promise<{ id: string }> => data('DELETE', `/v1/mailboxes/${id}`),
    rotateKey: (): Promise<RotatedKey> => data('POST', '/v1/api-keys/rotate'),
    send,
  }
}

export type PublishedClient = ReturnType<typeof publishedClient>

/** The refusal of a request, after checking what all refusals share. */
export async function refusalOf(request: Promise<unknown>) {
  const failure = await request.then(
    (answer) => expect.unreachable(`expected a refusal, got ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )
  if (!(failure instanceof HttpError)) throw failure
  const { error, code, requestId, details } = failure.body
  expect(failure.response.headers.get('x-request-id')).toBe(requestId)
  return { status: failure.response.status, error, code, ...(details && { details }) }
}

/** The refusals of concurrent requests. */
export const refusalsOf = (requests: Promise<unknown>[]) => Promise.all(requests.map(refusalOf))

function search(query: Query): string {
  if (typeof query === 'string') return query && `?${query}`
  return `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`
}
