// For those whose own settings do not know Symbol.asyncDispose.
/// <reference lib="esnext.disposable" preserve="true" />
import { withSignals } from './abort.ts'
import type { Email } from './email.ts'
import { MessageTimeoutError, UnexpectedMessageError } from './errors.ts'
import { conditionsOf, describeMatch, type Match } from './match.ts'
import { printable } from './printable.ts'
import type { MessageFilter } from './query.ts'
import { searchEach, type Reader } from './search.ts'
import { slug } from './slug.ts'
import { waitUntilFound, type WaitOptions } from './wait.ts'
import type { MessageSummary } from './wire.ts'

/** How long to watch for mail that should not come. */
const WITHIN_MS = 2_000
/** RFC 5321, section 4.5.3.1.1. */
const LOCAL_PART_CHARACTERS_MAX = 64

/** What to wait for in an inbox, which stands for mailbox and tag itself. */
export type InboxMatch = Omit<Match, 'mailbox' | 'tag' | 'tags'>

/** `again`: look at all mail of the inbox, and leave it for other calls to find. */
export type InboxWaitOptions = WaitOptions & { again?: boolean }

export type InboxPorts = {
  reader: Reader
  list: (filter: MessageFilter) => AsyncIterable<MessageSummary>
}

/** `cursor`: a place before all mail of the inbox. */
export type InboxPlace = { mailbox: string; tag: string; domain: string; cursor: string }

/**
 * An address that nobody else has, and the mail that comes to it. Each message is found once: `waitFor` gives the oldest
 * match that it has not given before.
 *
 * @example
 * await using inbox = await mailhatch.addresses.create()
 * await signUp(inbox.address)
 * const mail = await inbox.waitFor({ subject: 'Verify' })
 * await enterCode(mail.code())
 */
export class Inbox {
  readonly address: string
  readonly #ports: InboxPorts
  readonly #place: InboxPlace
  readonly #tags: Set<string>
  readonly #taken = new Set<string>()
  readonly #life = new AbortController()

  constructor(ports: InboxPorts, place: InboxPlace) {
    this.#ports = ports
    this.#place = place
    this.#tags = new Set([place.tag])
    this.address = this.#addressOf(place.tag)
  }

  /**
   * Another address of this inbox, for a second person in the same test; found by `to`, and by `messages()`.
   *
   * @example
   * const colleague = inbox.alias('colleague')
   * await invite(colleague)
   * await inbox.waitFor({ to: colleague })
   */
  alias(name: string): string {
    const tag = `${this.#place.tag}.${slug(name)}`
    const address = this.#addressOf(tag)
    if (address.indexOf('@') > LOCAL_PART_CHARACTERS_MAX) {
      throw new RangeError(
        `The alias ${address} is too long: ${LOCAL_PART_CHARACTERS_MAX} characters may precede the @.`,
      )
    }
    this.#tags.add(tag)
    return address
  }

  /**
   * The next message to the inbox's own address, or to the alias that `to` names, waiting up to 30 seconds for it.
   *
   * @example
   * const mail = await inbox.waitFor({ subject: /magic link/i }, { timeout: 60_000 })
   * await page.goto(mail.link('/auth/'))
   */
  waitFor(match: InboxMatch = {}, { again = false, ...options }: InboxWaitOptions = {}): Promise<Email> {
    return this.#find(match, options, again ? new Set() : this.#taken)
  }

  /**
   * Passes when no message comes that matches, within 2 seconds unless told; what `waitFor` gave before does not count.
   *
   * @example
   * await inbox.expectNone({ subject: 'Newsletter', within: 5_000 })
   */
  async expectNone({
    within = WITHIN_MS,
    signal,
    ...match
  }: InboxMatch & { within?: number; signal?: AbortSignal } = {}): Promise<void> {
    // A copy: what should not have come is still there for other calls to find.
    const found = await this.#find(match, { timeout: within, ...(signal && { signal }) }, new Set(this.#taken)).catch(
      (error: unknown) => {
        // Only a server that was asked to the end can say that nothing came.
        if (error instanceof MessageTimeoutError && error.cause === undefined) return null
        throw error
      },
    )
    if (found === null) return
    const what = `'${printable(found.subject)}' from ${printable(found.from)} to ${printable(found.to)}`
    throw new UnexpectedMessageError(`Expected no message that matches ${describeMatch(match)}, but ${what} came.`)
  }

  /**
   * All that came so far, to the address and its aliases, in the order in which it came.
   *
   * @example
   * const subjects = (await inbox.messages()).map(({ subject }) => subject)
   */
  async messages(): Promise<MessageSummary[]> {
    const messages: MessageSummary[] = []
    for await (const message of this.#ports.list(this.#everything())) messages.push(message)
    return messages
  }

  /** Ends the waits that are still open; the mail stays, for whoever wants to look at it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new Error(`The inbox ${this.address} was closed.`))
  }

  #find(match: InboxMatch, { signal, ...options }: WaitOptions, taken: Set<string>): Promise<Email> {
    const conditions = conditionsOf({ ...this.#scopeOf(match.to), ...match })
    const description = `${describeMatch(match)} in ${this.address}`
    const search = searchEach(this.#ports.reader, { conditions, description, order: 'oldest', taken })
    return withSignals([this.#life.signal, signal], (controller) =>
      waitUntilFound(search, { ...options, signal: controller.signal }),
    )
  }

  /** One address where it is clear which, by equality; else all of them, narrowed by what `to` says. */
  #scopeOf(to: string | RegExp | undefined): MessageFilter {
    const addresses = [...this.#tags].map((tag) => this.#addressOf(tag))
    const wanted = to === undefined ? this.address : addresses.find((address) => address === String(to).toLowerCase())
    return wanted === undefined ? this.#everything() : { mailbox: wanted, after: this.#place.cursor }
  }

  #everything(): MessageFilter {
    const { mailbox, domain, cursor } = this.#place
    return { mailbox: `${mailbox}@${domain}`, tags: [...this.#tags], after: cursor }
  }

  #addressOf(tag: string): string {
    return `${this.#place.mailbox}+${tag}@${this.#place.domain}`
  }
}
