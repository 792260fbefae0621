import { toEmail, type Email } from './email.ts'
import type { Match } from './match.ts'
import { checkAmount, checkOptions } from './options.ts'
import { pagesOf } from './page.ts'
import type { ListQuery, MessageFilter, MessagePage, MessageQuery, SettledQuery } from './query.ts'
import { searchNewest, type Reader } from './search.ts'
import { SETTLED_OPTIONS, waitUntilSettled, type Settled, type SettledOptions } from './settled.ts'
import { streamMessages, type StreamOptions } from './stream.ts'
import { requestOptions, type Call, type RequestOptions, type Transport } from './transport.ts'
import { WAIT_OPTIONS, waitUntilFound, type WaitOptions } from './wait.ts'
import type { MessageDetail, SettledState } from './wire.ts'

/** Time for a held response to arrive, on top of the time it is held. */
const TRAVEL_MS = 10_000
/** How long the server holds a question whether all mail has arrived, by default. */
const SETTLED_WAIT = 25

export type Messages = ReturnType<typeof createMessages>

const pathOf = (id: string): string => `/v1/messages/${encodeURIComponent(id)}`

export function createMessages(transport: Transport) {
  const reader = readerOf(transport)

  return {
    /**
     * A page of messages, newest first. `for await` iterates over the messages of all pages.
     *
     * @example
     * const { data, has_more } = await mailhatch.messages.list({ mailbox: 'qa', limit: 20 })
     * for await (const message of mailhatch.messages.list({ mailbox: 'qa' })) console.log(message.subject)
     */
    list: (query: ListQuery = {}, options: RequestOptions = {}) =>
      pagesOf(query, (page) =>
        transport.json<MessagePage>({
          timeout: heldFor(page),
          ...requestOptions(options),
          path: '/v1/messages',
          query: page,
        }),
      ),

    /**
     * A whole message.
     *
     * @example
     * const mail = await mailhatch.messages.get(id)
     * console.log(mail.text, mail.attachments)
     */
    get: (id: string, options: RequestOptions = {}): Promise<Email> =>
      readEmail(transport, { ...requestOptions(options), path: pathOf(id) }),

    /**
     * The newest match; throws a `NotFoundError` if there is none.
     *
     * @example
     * const mail = await mailhatch.messages.latest({ mailbox: 'qa', subject: 'Welcome' })
     */
    latest: (query: MessageQuery = {}, options: RequestOptions = {}): Promise<Email> =>
      readEmail(transport, { timeout: heldFor(query), ...requestOptions(options), path: '/v1/messages/latest', query }),

    /**
     * Waits for a match and returns the newest one. A `MessageTimeoutError` lists what arrived instead.
     *
     * @example
     * const { cursor } = await mailhatch.me()
     * await signUp('qa@mailhatch.test')
     * const mail = await mailhatch.messages.waitFor({ mailbox: 'qa', subject: /verify/i, after: cursor })
     */
    waitFor: async (match: Match, options: WaitOptions = {}): Promise<Email> =>
      waitUntilFound(searchNewest(reader, match), checkOptions('waitFor', options, WAIT_OPTIONS)),

    /**
     * How many messages match. With a filter, at most 2,000 are counted; `isExact` is false if there are more.
     *
     * @example
     * const { count } = await mailhatch.messages.count({ mailbox: 'qa', after: cursor })
     */
    count: (filter: MessageFilter = {}, options: RequestOptions = {}): Promise<{ count: number; isExact: boolean }> =>
      transport.data({ ...requestOptions(options), path: '/v1/messages/count', query: filter }),

    /**
     * Waits until all mail for an address has arrived: nothing is on its way through the server, and nothing came for `quiet` seconds.
     * If that takes longer than `wait` seconds, `settled` is false.
     *
     * @example
     * const { settled, count } = await mailhatch.messages.settled({ mailbox: 'qa+signup', after: cursor, quiet: 0.5 })
     */
    settled: ({ wait = SETTLED_WAIT, ...query }: SettledQuery, options: RequestOptions = {}): Promise<Settled> =>
      readSettled(transport, { timeout: heldFor({ wait }), ...requestOptions(options), query: { ...query, wait } }),

    /**
     * Asks `settled` until all mail for the address has arrived. A `NotSettledError` says what was on its way.
     *
     * @example
     * const { cursor } = await mailhatch.me()
     * await signUp('qa@mailhatch.test')
     * const { count } = await mailhatch.messages.waitUntilSettled({ mailbox: 'qa', after: cursor }, { quiet: '1s' })
     */
    waitUntilSettled: async (
      query: Omit<SettledQuery, 'quiet' | 'wait'>,
      options: SettledOptions = {},
    ): Promise<Settled> =>
      waitUntilSettled(
        reader.settled,
        { query, address: query.mailbox, signals: [] },
        checkOptions('waitUntilSettled', options, SETTLED_OPTIONS),
      ),

    /**
     * Streams messages as they arrive, from now on or from the cursor `after`. Reconnects and resumes without gaps.
     *
     * @example
     * for await (const message of mailhatch.messages.stream({ mailbox: 'qa' })) console.log(message.subject)
     */
    stream: (filter: MessageFilter = {}, options: StreamOptions = {}) => streamMessages(transport, filter, options),

    /**
     * The raw mail, exactly as received.
     *
     * @example
     * await writeFile('mail.eml', await mailhatch.messages.raw(id))
     */
    raw: (id: string, options: RequestOptions = {}): Promise<Uint8Array> =>
      transport.bytes({ ...requestOptions(options), path: `${pathOf(id)}/raw` }),

    /**
     * The bytes of an attachment, by its `index` or by `cid:` and its `contentId`.
     *
     * @example
     * const [invoice] = mail.attachments
     * await writeFile('invoice.pdf', await mailhatch.messages.attachment(mail.id, invoice.index))
     */
    attachment: (id: string, which: number | `cid:${string}`, options: RequestOptions = {}): Promise<Uint8Array> =>
      transport.bytes({ ...requestOptions(options), path: `${pathOf(id)}/attachments/${encodeURIComponent(which)}` }),

    /**
     * Deletes a message and its raw bytes.
     *
     * @example
     * await mailhatch.messages.delete(mail.id)
     */
    delete: (id: string, options: RequestOptions = {}): Promise<{ id: string }> =>
      transport.data({ ...requestOptions(options), method: 'DELETE', path: pathOf(id) }),

    /**
     * Deletes all matching messages. Requires at least one filter.
     *
     * @example
     * const { deleted } = await mailhatch.messages.deleteMany({ mailbox: 'qa' })
     */
    deleteMany: (filter: MessageFilter, options: RequestOptions = {}): Promise<{ deleted: number }> =>
      transport.data({ ...requestOptions(options), method: 'DELETE', path: '/v1/messages', query: filter }),
  }
}

/** Without retries, because waits do their own. */
export function readerOf(transport: Transport): Reader {
  return {
    url: transport.url,
    latest: (query, options) => readEmail(transport, { ...options, retries: 0, path: '/v1/messages/latest', query }),
    list: (query, options) => transport.json({ ...options, retries: 0, path: '/v1/messages', query }),
    settled: (query, options) => readSettled(transport, { ...options, retries: 0, query }),
    get: (id, options) => readEmail(transport, { ...options, retries: 0, path: pathOf(id) }),
    attempts: (query, options) => transport.json({ ...options, retries: 0, path: '/v1/attempts', query }),
  }
}

async function readEmail(transport: Transport, call: Call): Promise<Email> {
  const readRaw = (id: string) => transport.bytes({ path: `${pathOf(id)}/raw` })
  return toEmail(await transport.data<MessageDetail>(call), readRaw)
}

async function readSettled(transport: Transport, call: Omit<Call, 'path'>): Promise<Settled> {
  const answer = await transport.json<{ data: SettledState; cursor: string }>({ ...call, path: '/v1/messages/settled' })
  return { ...answer.data, cursor: answer.cursor }
}

/** The time limit of a request that the server holds; undefined for the default. */
function heldFor({ wait = 0 }: MessageQuery): number | undefined {
  checkAmount(wait, '`wait`, the seconds that the server holds the response,')
  return wait === 0 ? undefined : wait * 1000 + TRAVEL_MS
}
