import type {
  ErrorBody,
  Mailbox,
  Me,
  MessageDetail,
  MessageSummary,
  NearMiss,
  Rejection,
  SettledState,
  SmtpAttempt,
} from '@mailhatch/sdk'

/** Calls a REST route, of the app in this process or of a remote server. Both check the key in the same way. */
export type Ask = (path: string, options?: AskOptions) => Promise<Response>
type AskOptions = { method?: 'GET' | 'DELETE'; signal?: AbortSignal }

type Query = Record<string, string | number | undefined>
type Page = { data: MessageSummary[]; has_more: boolean; cursor: string }
type Found = { email: MessageDetail; arrived: []; cursor: string }
type NotFound = { email: null; arrived: NearMiss[]; cursor: string }

/** The operations available to the tools. */
export type MailReader = {
  me(): Promise<Me>
  mailboxes(): Promise<Mailbox[]>
  /** Waits for a match and returns the newest one; on timeout, the messages that arrived instead. */
  wait(query: Query, signal: AbortSignal): Promise<Found | NotFound>
  /** Waits until all mail has arrived, or the time is over. */
  settled(query: Query, signal: AbortSignal): Promise<{ state: SettledState; cursor: string }>
  list(query: Query): Promise<Page>
  attempts(query: Query): Promise<{ data: SmtpAttempt[]; has_more: boolean }>
  get(id: string): Promise<MessageDetail>
  /** The first bytes of an attachment, decoded. */
  attachment(id: string, place: { index: number; bytesMax: number }): Promise<Uint8Array>
  rejections(query: Query): Promise<Rejection[]>
  delete(id: string): Promise<void>
}

export function createMailReader(ask: Ask): MailReader {
  const succeed = async (path: string, options?: AskOptions): Promise<Response> => {
    const response = await ask(path, options)
    if (!response.ok) throw refusal(response, await readError(response))
    return response
  }
  // The caller declares the response type of the route.
  const read = async <Answer>(path: string) => (await (await succeed(path)).json()) as Answer
  const readData = async <Data>(path: string) => (await read<{ data: Data }>(path)).data

  return {
    me: () => readData('/v1/me'),
    mailboxes: () => readData('/v1/mailboxes'),
    async wait(query, signal) {
      const response = await ask(`/v1/messages/latest${search({ ...query, explain: 1 })}`, { signal })
      if (response.ok) {
        const { data, cursor } = (await response.json()) as { data: MessageDetail; cursor: string }
        return { email: data, arrived: [], cursor }
      }
      const error = await readError(response)
      if (error?.cursor === undefined) throw refusal(response, error)
      return { email: null, arrived: error.arrived ?? [], cursor: error.cursor }
    },
    async settled(query, signal) {
      const response = await succeed(`/v1/messages/settled${search(query)}`, { signal })
      const { data, cursor } = (await response.json()) as { data: SettledState; cursor: string }
      return { state: data, cursor }
    },
    list: (query) => read(`/v1/messages${search(query)}`),
    attempts: (query) => read(`/v1/attempts${search(query)}`),
    get: (id) => readData(`/v1/messages/${encodeURIComponent(id)}`),
    async attachment(id, { index, bytesMax }) {
      return firstBytes(await succeed(`/v1/messages/${encodeURIComponent(id)}/attachments/${index}`), bytesMax)
    },
    rejections: (query) => readData(`/v1/rejections${search(query)}`),
    async delete(id) {
      await succeed(`/v1/messages/${encodeURIComponent(id)}`, { method: 'DELETE' })
    },
  }
}

/** A held wait ends within a minute, so a longer request has failed. */
const ANSWER_MS_MAX = 75_000

/** Calls a remote server with an API key. */
export function askOverNetwork({ url, apiKey }: { url: string; apiKey: string }): Ask {
  const base = url.replace(/\/+$/, '')
  const headers = { authorization: `Bearer ${apiKey}` }
  return async (path, { method = 'GET', signal } = {}) => {
    const deadline = AbortSignal.timeout(ANSWER_MS_MAX)
    const request = { method, headers, signal: signal ? AbortSignal.any([signal, deadline]) : deadline }
    return fetch(base + path, request).catch((error: unknown) => {
      throw new Error(`The Mailhatch server at ${base} is unreachable.`, { cause: error })
    })
  }
}

function search(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return `?${new URLSearchParams(pairs)}`
}

async function readError(response: Response): Promise<ErrorBody | null> {
  // A proxy may respond with something other than JSON.
  return (await response.json().catch(() => null)) as ErrorBody | null
}

/** The error for the agent. Contains no text from mail. */
function refusal({ status, headers }: Response, body: ErrorBody | null): Error {
  const retryAfter = headers.get('retry-after')
  const sentence =
    typeof body?.error === 'string' ? `${body.code}: ${body.error}` : `The server responded with ${status}.`
  return new Error(retryAfter === null ? sentence : `${sentence} Retry in ${retryAfter} s.`)
}

async function firstBytes(response: Response, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    // `break` cancels the rest of the body.
    if (size >= bytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, bytesMax)
}
