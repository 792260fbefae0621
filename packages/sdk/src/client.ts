import { createAddresses, type Addresses } from './addresses.ts'
import { attemptsFor, createAttempts, type Attempts } from './attempts.ts'
import type { Duration } from './duration.ts'
import { createMailboxes, type Mailboxes } from './mailboxes.ts'
import { createMessages, readerOf, type Messages } from './messages.ts'
import { anything, checkCount, checkValues, checkTimer, type OptionChecks } from './options.ts'
import { createScenarios, type Scenarios } from './scenarios.ts'
import { createTransport, requestOptions, type RequestOptions, type Transport } from './transport.ts'
import { createWebhookEndpoints, type WebhookEndpoints } from './webhook-endpoints.ts'
import type { ApiKey, Me, Rejection } from './wire.ts'

const DEFAULT_URL = 'http://localhost:3003'

export type MailhatchOptions = {
  /** Default: MAILHATCH_URL, else http://localhost:3003. */
  url?: string | undefined
  /** Default: MAILHATCH_API_KEY. */
  apiKey?: string | undefined
  /** Time limit of one request. Default: 30,000 ms. */
  timeout?: Duration | undefined
  /** How often to retry if the server is unreachable or rate-limits the request. Default: 2. */
  retries?: number | undefined
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch | undefined
}

const CLIENT_OPTIONS: OptionChecks<MailhatchOptions> = {
  url: anything,
  apiKey: anything,
  timeout: checkTimer,
  retries: checkCount,
  fetch: anything,
}

/** `troubles`: why the server cannot accept or serve mail; empty if it is ready. */
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
  /** The base URL of the server. */
  readonly url: string
  readonly addresses: Addresses
  readonly messages: Messages
  readonly mailboxes: Mailboxes
  readonly scenarios: Scenarios
  readonly attempts: Attempts
  readonly webhooks: WebhookEndpoints
  readonly #transport: Transport

  constructor(options: MailhatchOptions = {}) {
    // A server that `startMailhatch` has started may be passed as a whole.
    checkValues('new Mailhatch()', options, CLIENT_OPTIONS)
    this.url = (options.url ?? (environment('MAILHATCH_URL') || DEFAULT_URL)).replace(/\/+$/, '')
    if (!/^https?:\/\//i.test(this.url)) {
      throw new TypeError(`The url must start with http:// or https://, as in ${DEFAULT_URL}, not '${this.url}'.`)
    }
    const apiKey = options.apiKey ?? environment('MAILHATCH_API_KEY')
    const transport = createTransport({ ...options, url: this.url, apiKey })
    this.#transport = transport
    this.messages = createMessages(transport)
    this.mailboxes = createMailboxes(transport)
    this.scenarios = createScenarios(transport)
    this.attempts = createAttempts(transport)
    this.webhooks = createWebhookEndpoints(transport)
    this.addresses = createAddresses({
      reader: readerOf(transport),
      list: this.messages.list,
      script: this.scenarios.create,
      attempts: (query) => attemptsFor(this.attempts.list, query),
      me: () => this.me(),
      mailboxes: () => this.mailboxes.list(),
    })
  }

  /**
   * The team and the API key of this client, and the newest cursor.
   *
   * @example
   * const { team, cursor } = await mailhatch.me()
   */
  me(options: RequestOptions = {}): Promise<Me> {
    return this.#transport.data({ ...requestOptions(options), path: '/v1/me' })
  }

  readonly apiKeys = {
    /**
     * Replaces the API key of this client. The old key stops working at once; the client uses the new one, which is shown only here.
     *
     * @example
     * const { key } = await mailhatch.apiKeys.rotate()
     */
    rotate: async (options: RequestOptions = {}): Promise<{ key: string; apiKey: ApiKey }> => {
      const call = { ...requestOptions(options), method: 'POST', path: '/v1/api-keys/rotate' } as const
      const rotated = await this.#transport.data<{ key: string; apiKey: ApiKey }>(call)
      this.#transport.useKey(rotated.key)
      return rotated
    },
  }

  readonly rejections = {
    /**
     * Rejected mail, newest first, with the reason. Helps if an expected mail does not arrive.
     *
     * @example
     * for (const { to, reason } of await mailhatch.rejections.list()) console.log(to, reason)
     */
    list: (query: { since?: string; limit?: number } = {}, options: RequestOptions = {}): Promise<Rejection[]> =>
      this.#transport.data({ ...requestOptions(options), path: '/v1/rejections', query }),
  }

  /**
   * Checks that the process is alive. Needs no key.
   *
   * @example
   * await mailhatch.health()
   */
  health(options: RequestOptions = {}): Promise<{ status: 'ok' }> {
    return this.#transport.json({ ...requestOptions(options), path: '/health' })
  }

  /**
   * Checks whether the server can accept and serve mail, and why not. Needs no key.
   *
   * @example
   * const { status, troubles } = await mailhatch.ready()
   */
  async ready(options: RequestOptions = {}): Promise<Readiness> {
    const answer = await this.#transport.json<Partial<Readiness>>({
      ...requestOptions(options),
      path: '/ready',
      alsoAccept: 503,
    })
    return { status: 'ready', troubles: [], ...answer }
  }

  /**
   * The server's API as an OpenAPI 3.1 document.
   *
   * @example
   * const { paths } = await mailhatch.openapi()
   */
  openapi(options: RequestOptions = {}): Promise<Record<string, unknown>> {
    return this.#transport.json({ ...requestOptions(options), path: '/openapi.json' })
  }
}

/** Browsers have no `process`. */
function environment(name: string): string | undefined {
  return typeof process === 'undefined' ? undefined : process.env[name]
}
