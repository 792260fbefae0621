// For projects whose compiler settings do not include Symbol.asyncDispose.
/// <reference lib="esnext.disposable" preserve="true" />
import { withSignals } from './abort.ts'
import type { Email } from './email.ts'
import { MessageTimeoutError, UnexpectedMessageError } from './errors.ts'
import { conditionsOf, describeMatch, type Match } from './match.ts'
import { printable } from './printable.ts'
import type { MessageFilter } from './query.ts'
import { addressPage, searchEach, type Reader } from './search.ts'
import { slug } from './slug.ts'
import { waitUntilFound, type WaitOptions } from './wait.ts'
import type { Step } from './scenario-steps.ts'
import type { ScenarioOptions, Script } from './scenarios.ts'
import type { MessageSummary } from './wire.ts'

/** How long to watch for a message that should not arrive. */
const WITHIN_MS = 2_000
/** RFC 5321, section 4.5.3.1.1. */
const LOCAL_PART_CHARACTERS_MAX = 64

/** What to wait for; the inbox itself determines mailbox and tag. */
export type InboxMatch = Omit<Match, 'mailbox' | 'tag' | 'tags'>

/** `again`: also match messages that `waitFor` returned before, and leave the match for other calls. */
export type InboxWaitOptions = WaitOptions & { again?: boolean }

export type InboxPorts = {
  reader: Reader
  list: (filter: MessageFilter) => AsyncIterable<MessageSummary>
  script: (to: string, steps: Step[], options: ScenarioOptions) => Promise<Script>
}

/** `cursor`: a position before all mail of the inbox. */
export type InboxPlace = { mailbox: string; tag: string; domain: string; cursor: string }

/**
 * A unique address and its mail. `waitFor` returns each message once: the oldest match that it has not returned before.
 *
 * @example
 * await using inbox = await mailhatch.addresses.create()
 * await signUp(inbox.address)
 * const mail = await inbox.waitFor({ subject: 'Verify' })
 * await enterCode(mail.code())
 */
export class Inbox {
  readonly address: string
  /** A position before all mail of the inbox: what arrives later is found with `after`. */
  readonly cursor: string
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
    this.cursor = place.cursor
  }

  /**
   * Another address of this inbox, for a second recipient in the same test. Use it as `to` in `waitFor`.
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
        `The alias ${address} is too long: at most ${LOCAL_PART_CHARACTERS_MAX} characters are allowed before the @.`,
      )
    }
    this.#tags.add(tag)
    return address
  }

  /**
   * Waits up to 30 seconds for the next message to the inbox's address, or to the alias in `to`.
   *
   * @example
   * const mail = await inbox.waitFor({ subject: /magic link/i }, { timeout: 60_000 })
   * await page.goto(mail.link('/auth/'))
   */
  waitFor(match: InboxMatch = {}, { again = false, ...options }: InboxWaitOptions = {}): Promise<Email> {
    return this.#find(match, options, again ? new Set() : this.#taken)
  }

  /**
   * Passes if no matching message arrives within `within` milliseconds (default: 2,000). Messages that `waitFor` returned
   * before do not count.
   *
   * @example
   * await inbox.expectNone({ subject: 'Newsletter', within: 5_000 })
   */
  async expectNone({
    within = WITHIN_MS,
    signal,
    ...match
  }: InboxMatch & { within?: number; signal?: AbortSignal } = {}): Promise<void> {
    // A copy, so that an unexpected message stays available for other calls.
    const found = await this.#find(match, { timeout: within, ...(signal && { signal }) }, new Set(this.#taken)).catch(
      (error: unknown) => {
        // If the last request failed, it is unknown whether a message arrived.
        if (error instanceof MessageTimeoutError && error.cause === undefined) return null
        throw error
      },
    )
    if (found === null) return
    const what = `'${printable(found.subject)}' from ${printable(found.from)} to ${printable(found.to)}`
    throw new UnexpectedMessageError(`Expected no message that matches ${describeMatch(match)}, but ${what} arrived.`)
  }

  /**
   * Makes the mail server misbehave for this address: each step is for one mail, or as often as `times` says; the last one stays.
   * Mail to other addresses is not affected. It ends with `end()`, or after ten minutes.
   *
   * @example
   * await inbox.script([reject(451).times(2), delay('8s'), accept()])
   */
  script(steps: Step[], options: ScenarioOptions = {}): Promise<Script> {
    return this.#ports.script(this.address, steps, options)
  }

  /**
   * All messages to the address and its aliases so far, in order of arrival.
   *
   * @example
   * const subjects = (await inbox.messages()).map(({ subject }) => subject)
   */
  async messages(): Promise<MessageSummary[]> {
    const messages: MessageSummary[] = []
    for await (const message of this.#ports.list(this.#everything())) messages.push(message)
    return messages
  }

  /** Aborts pending waits. The mail stays on the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new Error(`The inbox ${this.address} was closed.`))
  }

  async #find(match: InboxMatch, { signal, ...options }: WaitOptions, taken: Set<string>): Promise<Email> {
    const conditions = conditionsOf({ ...this.#scopeOf(match.to), ...match })
    const description = `${describeMatch(match)} in ${this.address}`
    const { reader } = this.#ports
    const page = addressPage(reader.url, { mailbox: this.address })
    const search = searchEach(reader, { conditions, description, order: 'oldest', page, taken })
    return withSignals([this.#life.signal, signal], (controller) =>
      waitUntilFound(search, { ...options, signal: controller.signal }),
    )
  }

  /** The inbox's address if `to` is missing, the alias that equals `to`, else all addresses, which `to` then filters. */
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
