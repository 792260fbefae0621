import { MailhatchError, MessageTimeoutError } from './errors.ts'
import type { Me, MessageDetail, MessageSummary } from './wire.ts'

export type MailhatchOptions = { url: string; apiKey: string }

/** The query parameters of the message routes, by their names on the wire. */
export type MessageQuery = {
  mailbox?: string
  tag?: string
  tags?: string | string[]
  to?: string
  from?: string
  subject?: string
  text?: string
  q?: string
  header?: string
  start?: string
  end?: string
  since?: string
  after?: string
  wait?: number
  explain?: 0 | 1
}

export type ListQuery = MessageQuery & { limit?: number; after_id?: string }

export type MessagePage = { data: MessageSummary[]; has_more: boolean; cursor: string }

const WAIT_TIMEOUT_MS = 30_000
/** One held request; common proxies cut connections at 30 to 60 seconds. */
const HOLD_SECONDS_MAX = 25

/**
 * A client of one Mailhatch server.
 *
 * @example
 * const mailhatch = new Mailhatch({ url: 'http://localhost:3003', apiKey })
 * const { cursor } = await mailhatch.me()
 * await signUp('qa+42@mailhatch.test')
 * const mail = await mailhatch.messages.waitFor({ mailbox: 'qa+42', after: cursor })
 */
export class Mailhatch {
  readonly #url: string
  readonly #headers: Record<string, string>

  constructor({ url, apiKey }: MailhatchOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#headers = { authorization: `Bearer ${apiKey}` }
  }

  /** The team and key behind the API key, and the newest cursor. */
  async me(): Promise<Me> {
    return (await this.#get<{ data: Me }>('/v1/me')).data
  }

  readonly messages = {
    list: (query: ListQuery = {}): Promise<MessagePage> => this.#get('/v1/messages', query),

    /** The newest match; a 404 `MailhatchError` when there is none. */
    latest: async (query: MessageQuery = {}): Promise<MessageDetail> =>
      (await this.#get<{ data: MessageDetail }>('/v1/messages/latest', query)).data,

    get: async (id: string): Promise<MessageDetail> =>
      (await this.#get<{ data: MessageDetail }>(`/v1/messages/${encodeURIComponent(id)}`)).data,

    /** Resolves with the newest match as soon as there is one. */
    waitFor: (query: MessageQuery, options: { timeout?: number } = {}): Promise<MessageDetail> =>
      this.#waitFor(query, options.timeout ?? WAIT_TIMEOUT_MS),
  }

  async #waitFor(query: MessageQuery, timeoutMs: number): Promise<MessageDetail> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const leftMs = Math.max(0, deadline - Date.now())
      try {
        return await this.messages.latest({ ...query, wait: Math.min(leftMs / 1000, HOLD_SECONDS_MAX) })
      } catch (error) {
        if (!(error instanceof MailhatchError)) throw error
        const isNothingYet = error.code === 'message_not_found'
        // The server restarts or asks us to slow down; the wait goes on.
        const isPassing = error.status === 503 || error.status === 429
        if (!isNothingYet && !isPassing) throw error
        if (isNothingYet && Date.now() >= deadline) {
          throw new MessageTimeoutError(timeoutMs, JSON.stringify(query), error.body.arrived ?? [])
        }
        if (isPassing) {
          if (Date.now() >= deadline) throw error
          await new Promise((resolve) => setTimeout(resolve, Math.min(error.retryAfterMs, deadline - Date.now())))
        }
      }
    }
  }

  async #get<Answer>(path: string, query: ListQuery = {}): Promise<Answer> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each))
    }
    const response = await fetch(`${this.#url}${path}?${search}`, { headers: this.#headers })
    const text = await response.text()
    if (!response.ok) throw new MailhatchError(response, text)
    // Successes have the shape that the method that asked declares.
    return JSON.parse(text) as Answer
  }
}
