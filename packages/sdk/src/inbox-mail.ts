import { withSignals } from './abort.ts'
import type { Email } from './email.ts'
import { MessageCountError, MessageTimeoutError, NotFoundError, NotSettledError } from './errors.ts'
import type { InboxMatch, InboxSettledOptions } from './inbox-options.ts'
import { checkMatch, conditionsOf, describeMatch } from './match.ts'
import type { MessageFilter } from './query.ts'
import { UNSPECIFIED_CODE } from './refusal.ts'
import { searchEach, type Reader } from './search.ts'
import { waitUntilSettled, type Settled, type SettledOptions, type SettlingTexts } from './settled.ts'
import { lookUntil, waitUntilFound, type Search, type WaitOptions } from './wait.ts'

const TIMEOUT_MS = 30_000

/** `cursor`: a position before all mail of the inbox. */
export type InboxPlace = { mailbox: string; tag: string; domain: string; cursor: string }

/** Finds the mail for the addresses of an inbox. */
export class InboxMail {
  /** Ends all waits. */
  readonly life = new AbortController()
  readonly tags: Set<string>
  readonly address: string
  readonly #reader: Reader
  readonly #place: InboxPlace

  constructor(reader: Reader, place: InboxPlace) {
    this.#reader = reader
    this.#place = place
    this.tags = new Set([place.tag])
    this.address = this.addressOf(place.tag)
  }

  async find(match: InboxMatch, { signal, ...options }: WaitOptions, taken: Set<string>): Promise<Email> {
    const search = this.#searchFor(match, taken)
    return withSignals([this.life.signal, signal], (controller) =>
      waitUntilFound(search, { ...options, signal: controller.signal }),
    )
  }

  /** Null if no message matched in time. Asks nothing else. */
  async findWithin(match: InboxMatch, { signal, ...options }: WaitOptions, taken: Set<string>): Promise<Email | null> {
    const search = this.#searchFor(match, taken)
    const { found, lastError } = await withSignals([this.life.signal, signal], (controller) =>
      lookUntil((...given) => search.look(...given), { ...options, signal: controller.signal }),
    )
    // If the last request failed, it is unknown whether a message arrived.
    if (lastError !== undefined) throw lastError
    return found
  }

  async findCount(count: number, match: InboxMatch, options: WaitOptions & { timeout: number }): Promise<Email[]> {
    const { timeout: timeoutMs } = options
    const deadline = performance.now() + timeoutMs
    const emails: Email[] = []
    const taken = new Set<string>()
    try {
      while (emails.length < count) {
        const timeout = Math.max(0, deadline - performance.now())
        emails.push(await this.find(match, { ...options, timeout }, taken))
      }
    } catch (error) {
      if (!(error instanceof MessageTimeoutError)) throw error
      const expectation = countOf(count, match)
      const { state, cause } = error
      if (state?.settled === false) {
        throw new NotSettledError({ address: this.address, timeoutMs, state, expectation, cause })
      }
      throw new MessageCountError(`${expectation} within ${timeoutMs} ms`, emails, error)
    }
    return emails
  }

  settle({ after, ...options }: InboxSettledOptions, texts: SettlingTexts = {}): Promise<Settled> {
    const { mailbox, tags, after: beginning } = this.everything()
    const query = { mailbox, tags, after: after ?? beginning }
    const asked = { query, address: this.address, signals: [this.life.signal], ...texts }
    return waitUntilSettled(this.#reader.settled, asked, options)
  }

  /** All matches that have arrived, except for those that are taken. */
  async collect(match: InboxMatch, taken: Set<string>, signal: AbortSignal | undefined): Promise<Email[]> {
    const search = this.#searchFor(match, taken)
    const emails: Email[] = []
    const { lastError } = await lookUntil<Email[]>(
      async (_, next) => {
        const look = await search.look(0, next)
        if (look.found !== null) emails.push(look.found)
        return look.found !== null || look.isMore ? { found: null, isMore: true } : { found: emails }
      },
      { timeout: TIMEOUT_MS, ...(signal && { signal }) },
    )
    if (lastError !== undefined) throw lastError
    return emails
  }

  /** False if the server is older and does not know. */
  async isSettled(options: SettledOptions): Promise<boolean> {
    try {
      await this.settle(options)
      return true
    } catch (error) {
      if (error instanceof NotFoundError && ['message_not_found', UNSPECIFIED_CODE].includes(error.code)) return false
      throw error
    }
  }

  #searchFor(match: InboxMatch, taken: Set<string>): Search {
    checkMatch(match)
    const conditions = conditionsOf({ ...this.#scopeOf(match.to), ...match })
    const description = `${describeMatch(match)} in ${this.address}`
    const reader = this.#reader
    return searchEach(reader, { conditions, description, order: 'oldest', address: this.address, taken })
  }

  /** The inbox's address if `to` is missing, the alias that equals `to`, else all addresses, which `to` then filters. */
  #scopeOf(to: string | RegExp | undefined): MessageFilter {
    const addresses = [...this.tags].map((tag) => this.addressOf(tag))
    const wanted = to === undefined ? this.address : addresses.find((address) => address === String(to).toLowerCase())
    return wanted === undefined ? this.everything() : { mailbox: wanted, after: this.#place.cursor }
  }

  everything() {
    const { mailbox, domain, cursor } = this.#place
    return { mailbox: `${mailbox}@${domain}`, tags: [...this.tags], after: cursor }
  }

  addressOf(tag: string): string {
    return `${this.#place.mailbox}+${tag}@${this.#place.domain}`
  }
}

/** For errors: what was expected. */
export function countOf(count: number, match: InboxMatch): string {
  return `${count} ${count === 1 ? 'message that matches' : 'messages that match'} ${describeMatch(match)}`
}
