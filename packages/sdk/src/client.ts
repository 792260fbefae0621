import { createAddresses, type Addresses } from './addresses.ts'
import { createMailboxes, type Mailboxes } from './mailboxes.ts'
import { createMessages, readerOf, type Messages } from './messages.ts'
import { createTransport, type RequestOptions, type Transport } from './transport.ts'
import { createWebhookEndpoints, type WebhookEndpoints } from './webhook-endpoints.ts'
import type { ApiKey, Me, Rejection } from './wire.ts'

const DEFAULT_URL = 'http://localhost:3003'

export type MailhatchOptions = {
  /** MAILHATCH_URL, or else http://localhost:3003, unless told. */
  url?: string | undefined
  /** MAILHATCH_API_KEY unless told. */
  apiKey?: string | undefined
  /** Milliseconds that one request may take, 30,000 unless told. */
  timeout?: number | undefined
  /** How often a request is repeated when the server is away or asks to slow down, 2 unless told. */
  retries?: number | undefined
  /** Instead of the platform's own. */
  fetch?: typeof fetch | undefined
}

/** `troubles`: why mail cannot be taken in or read; none when it is ready. */
export type Readiness = { status: 'ready' | 'not ready'; troubles: string[] }

/**
 * A client of one Mailhatch server.
 *
 * @example
 * const mailhatch = new Mailhatch()
 * const inbox = await mailhatch.addresses.create()
 * await signUp(inbox.address)
 * const mail = await inbox.waitFor({ subject: 'Verify' })
 * console.log(mail.code())
 */
export class Mailhatch {
  /** Where the server is. */
  readonly url: string
  readonly addresses: Addresses
  readonly messages: Messages
  readonly mailboxes: Mailboxes
  readonly webhooks: WebhookEndpoints
  readonly #transport: Transport

  constructor(options: MailhatchOptions = {}) {
    this.url = (options.url ?? (environment('MAILHATCH_URL') || DEFAULT_URL)).replace(/\/+$/, '')
    if (!/^https?:\/\//i.test(this.url)) {
      throw new TypeError(`The url must start with http:// or https://, as in ${DEFAULT_URL}, not '${this.url}'.`)
    }
    const apiKey = options.apiKey ?? environment('MAILHATCH_API_KEY')
    const transport = createTransport({ ...options, url: this.url, apiKey })
    this.#transport = transport
    this.messages = createMessages(transport)
    this.mailboxes = createMailboxes(transport)
    this.webhooks = createWebhookEndpoints(transport)
    this.addresses = createAddresses({
      reader: readerOf(transport),
      list: this.messages.list,
      me: () => this.me(),
      mailboxes: () => this.mailboxes.list(),
    })
  }

  /**
   * The team and key behind the API key, and the newest cursor.
   *
   * @example
   * const { team, cursor } = await mailhatch.me()
   */
  me(options: RequestOptions = {}): Promise<Me> {
    return this.#transport.data({ ...options, path: '/v1/me' })
  }

  readonly apiKeys = {
    /**
     * Gives the key of this client a new value, shown this once; the old one is dead at once, and the client uses the new.
     *
     * @example
     * const { key } = await mailhatch.apiKeys.rotate()
     */
    rotate: async (options: RequestOptions = {}): Promise<{ key: string; apiKey: ApiKey }> => {
      const call = { ...options, method: 'POST', path: '/v1/api-keys/rotate' } as const
      const rotated = await this.#transport.data<{ key: string; apiKey: ApiKey }>(call)
      this.#transport.useKey(rotated.key)
      return rotated
    },
  }

  readonly rejections = {
    /**
     * Mail that was refused, newest first: why an expected one did not come.
     *
     * @example
     * for (const { to, reason } of await mailhatch.rejections.list()) console.log(to, reason)
     */
    list: (query: { since?: string; limit?: number } = {}, options: RequestOptions = {}): Promise<Rejection[]> =>
      this.#transport.data({ ...options, path: '/v1/rejections', query }),
  }

  /**
   * Whether the process is alive; needs no key.
   *
   * @example
   * await mailhatch.health()
   */
  health(options: RequestOptions = {}): Promise<{ status: 'ok' }> {
    return this.#transport.json({ ...options, path: '/health' })
  }

  /**
   * Whether mail can be taken in and read, and why not; needs no key.
   *
   * @example
   * const { status, troubles } = await mailhatch.ready()
   */
  async ready(options: RequestOptions = {}): Promise<Readiness> {
    const answer = await this.#transport.json<Partial<Readiness>>({ ...options, path: '/ready', answer: 503 })
    return { status: 'ready', troubles: [], ...answer }
  }

  /**
   * The server's API as an OpenAPI 3.1 document.
   *
   * @example
   * const { paths } = await mailhatch.openapi()
   */
  openapi(options: RequestOptions = {}): Promise<Record<string, unknown>> {
    return this.#transport.json({ ...options, path: '/openapi.json' })
  }
}

/** Browsers have none. */
function environment(name: string): string | undefined {
  return typeof process === 'undefined' ? undefined : process.env[name]
}
