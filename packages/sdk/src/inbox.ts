// For projects whose compiler settings do not include Symbol.asyncDispose.
/// <reference lib="esnext.disposable" preserve="true" />
import { withSignals } from './abort.ts'
import type { Email } from './email.ts'
import { MessageCountError, MessageTimeoutError, NotFoundError, UnexpectedMessageError } from './errors.ts'
import { millisecondsOf, type Duration } from './duration.ts'
import { checkMatch, conditionsOf, describeMatch, type Match } from './match.ts'
import { anything, checkCount, checkDuration, checkOptions, type OptionChecks } from './options.ts'
import { printable } from './printable.ts'
import type { MessageFilter } from './query.ts'
import { UNSPECIFIED_CODE } from './refusal.ts'
import { searchEach, type Reader } from './search.ts'
import { SETTLED_OPTIONS, settlingTimes, waitUntilSettled, type Settled, type SettledOptions } from './settled.ts'
import { slug } from './slug.ts'
import { lookUntil, WAIT_OPTIONS, waitUntilFound, type Search, type WaitOptions } from './wait.ts'
import type { StepDefinition } from './scenario-steps.ts'
import type { ScenarioOptions, Script } from './scenarios.ts'
import type { MessageSummary, SmtpAttempt } from './wire.ts'

/** How long to watch for a message that should not arrive. */
const WITHIN_MS = 2_000
const TIMEOUT_MS = 30_000
/** Time for mail that is on its way, at least, when most of the time was used to wait for messages. */
const SETTLING_MS = 2_000
/** RFC 5321, section 4.5.3.1.1. */
const LOCAL_PART_CHARACTERS_MAX = 64

/** What to wait for; the inbox itself determines mailbox and tag. */
export type InboxMatch = Omit<Match, 'mailbox' | 'tag' | 'tags'>

/** `again`: also match messages that `waitFor` returned before, and leave the match for other calls. */
export type InboxWaitOptions = WaitOptions & { again?: boolean }

/** `after`: a cursor, for what came later. Default: everything. */
export type InboxSettledOptions = SettledOptions & { after?: string | undefined }

export type ExpectNoneOptions = { within?: Duration; timeout?: Duration; signal?: AbortSignal }

const INBOX_WAIT_OPTIONS: OptionChecks<InboxWaitOptions> = { ...WAIT_OPTIONS, again: anything }
const INBOX_SETTLED_OPTIONS: OptionChecks<InboxSettledOptions> = { ...SETTLED_OPTIONS, after: anything }
const EXPECT_NONE_OPTIONS = { within: checkDuration, timeout: checkDuration, signal: anything }

export type InboxPorts = {
  reader: Reader
  list: (filter: MessageFilter) => AsyncIterable<MessageSummary>
  script: (to: string, steps: StepDefinition[], options: ScenarioOptions) => Promise<Script>
  attempts: (query: { to: string; after: string }) => Promise<SmtpAttempt[]>
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
  readonly #scripts: Script[] = []
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
  async waitFor(match: InboxMatch = {}, options: InboxWaitOptions = {}): Promise<Email> {
    const { again = false, ...waiting } = checkOptions('waitFor', options, INBOX_WAIT_OPTIONS)
    return this.#find(match, waiting, again ? new Set() : this.#taken)
  }

  /**
   * Passes if no matching message arrives within the time `within` (default: 2,000 ms), and none is on its way then. Messages that
   * `waitFor` returned before do not count. `timeout`: how long to wait for mail that is on its way (default: 30,000 ms).
   *
   * @example
   * await inbox.expectNone({ subject: 'Newsletter', within: 5_000 })
   */
  async expectNone(given: InboxMatch & ExpectNoneOptions = {}): Promise<void> {
    const { within = WITHIN_MS, timeout = TIMEOUT_MS, signal, ...match } = given
    checkOptions('expectNone', { within, timeout, signal }, EXPECT_NONE_OPTIONS)
    // A copy, so that an unexpected message stays available for other calls.
    let found = await this.#find(match, { timeout: within, ...(signal && { signal }) }, new Set(this.#taken)).catch(
      (error: unknown) => {
        // If the last request failed, it is unknown whether a message arrived.
        if (error instanceof MessageTimeoutError && error.cause === undefined) return null
        throw error
      },
    )
    if (found === null && (await this.#isSettled({ quiet: 0, timeout, signal }))) {
      found = (await this.#collect(match, new Set(this.#taken), signal))[0] ?? null
    }
    if (found === null) return
    const what = `'${printable(found.subject)}' from ${printable(found.from)} to ${printable(found.to)}`
    throw new UnexpectedMessageError(`Expected no message that matches ${describeMatch(match)}, but ${what} arrived.`)
  }

  /**
   * Waits until all mail for the address and its aliases has arrived: none is on its way through the server, in an open SMTP
   * transaction or after it, and none came for the time `quiet`. The server cannot know of mail that your app has not begun to
   * send: `quiet` gives it time. A `NotSettledError` says what was on its way, and `unknown` what the server could not know.
   *
   * @example
   * const { count } = await inbox.settled({ quiet: '500ms' })
   */
  async settled(given: InboxSettledOptions = {}): Promise<Settled> {
    const { after, ...options } = checkOptions('settled', given, INBOX_SETTLED_OPTIONS)
    const { mailbox, tags, after: beginning } = this.#everything()
    const query = { mailbox, tags, after: after ?? beginning }
    return waitUntilSettled(
      this.#ports.reader.settled,
      { query, address: this.address, signals: [this.#life.signal] },
      options,
    )
  }

  /**
   * Waits for so many matching messages and returns the first ones, in order of arrival. Messages that `waitFor` returned count too.
   *
   * @example
   * const [first, second] = await inbox.waitForCount(2, { subject: 'Invoice' })
   */
  async waitForCount(count: number, match: InboxMatch = {}, options: WaitOptions = {}): Promise<Email[]> {
    checkCount(count, 'The count of waitForCount')
    checkMatch(match)
    const timeoutMs = millisecondsOf(checkOptions('waitForCount', options, WAIT_OPTIONS).timeout ?? TIMEOUT_MS)
    const deadline = performance.now() + timeoutMs
    const emails: Email[] = []
    const taken = new Set<string>()
    try {
      while (emails.length < count) {
        const left = Math.max(0, deadline - performance.now())
        emails.push(await this.#find(match, { ...options, timeout: left }, taken))
      }
    } catch (error) {
      if (!(error instanceof MessageTimeoutError)) throw error
      throw new MessageCountError(`${countOf(count, match)} within ${timeoutMs} ms`, emails, error.cause)
    }
    return emails
  }

  /**
   * Waits for so many matching messages, then until all mail has arrived, and fails if there are more: no mail is sent twice.
   * Messages that `waitFor` returned count too.
   *
   * @example
   * await inbox.expectExactly(1, { subject: 'Welcome' })
   */
  async expectExactly(count: number, match: InboxMatch = {}, options: SettledOptions = {}): Promise<Email[]> {
    checkCount(count, 'The count of expectExactly')
    checkMatch(match)
    const { quietMs, timeoutMs } = settlingTimes(checkOptions('expectExactly', options, SETTLED_OPTIONS))
    const { quiet, signal } = options
    const deadline = performance.now() + timeoutMs
    await this.waitForCount(count, match, { timeout: timeoutMs, ...(signal && { signal }) })
    const settlingMs = SETTLING_MS + quietMs
    await this.settled({ quiet, timeout: Math.max(settlingMs, deadline - performance.now()), signal })
    const emails = await this.#collect(match, new Set(), signal)
    if (emails.length !== count) throw new MessageCountError(`exactly ${countOf(count, match)}`, emails)
    return emails
  }

  /**
   * Waits until all mail has arrived and returns the matching messages in order of arrival, without those that `waitFor` returned.
   *
   * @example
   * const subjects = (await inbox.waitForAll()).map(({ subject }) => subject)
   */
  async waitForAll(match: InboxMatch = {}, options: SettledOptions = {}): Promise<Email[]> {
    checkMatch(match)
    await this.settled(checkOptions('waitForAll', options, SETTLED_OPTIONS))
    return this.#collect(match, this.#taken, options.signal)
  }

  /**
   * Makes the mail server misbehave for this address: each step is for one mail, or as often as `times` says; the last one stays.
   * Mail to other addresses is not affected. It ends with `end()`, with the inbox or the test, or after ten minutes.
   *
   * @example
   * await inbox.script([reject(451).times(2), delay('8s'), accept()])
   */
  async script(steps: StepDefinition[], options: ScenarioOptions = {}): Promise<Script> {
    const script = await this.#ports.script(this.address, steps, options)
    this.#scripts.push(script)
    return script
  }

  /**
   * Every attempt to send mail to this address so far, in order of time: also those that were refused, cut off or given up.
   *
   * @example
   * const [first, second] = await inbox.attempts()
   * expect(Date.parse(second.startedAt) - Date.parse(first.endedAt)).toBeGreaterThan(900)
   */
  attempts(): Promise<SmtpAttempt[]> {
    return this.#ports.attempts({ to: this.address, after: this.cursor })
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

  /** Aborts pending waits and ends scripts. The mail stays on the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new Error(`The inbox ${this.address} was closed.`))
    // Some have ended before, and without the server they end by themselves, so failures do not matter.
    await Promise.allSettled(this.#scripts.map((script) => script.end()))
  }

  async #find(match: InboxMatch, { signal, ...options }: WaitOptions, taken: Set<string>): Promise<Email> {
    const search = this.#searchFor(match, taken)
    return withSignals([this.#life.signal, signal], (controller) =>
      waitUntilFound(search, { ...options, signal: controller.signal }),
    )
  }

  /** All matches that have arrived, except for those that are taken. */
  async #collect(match: InboxMatch, taken: Set<string>, signal: AbortSignal | undefined): Promise<Email[]> {
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
  async #isSettled(options: SettledOptions): Promise<boolean> {
    try {
      await this.settled(options)
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
    const { reader } = this.#ports
    return searchEach(reader, { conditions, description, order: 'oldest', address: this.address, taken })
  }

  /** The inbox's address if `to` is missing, the alias that equals `to`, else all addresses, which `to` then filters. */
  #scopeOf(to: string | RegExp | undefined): MessageFilter {
    const addresses = [...this.#tags].map((tag) => this.#addressOf(tag))
    const wanted = to === undefined ? this.address : addresses.find((address) => address === String(to).toLowerCase())
    return wanted === undefined ? this.#everything() : { mailbox: wanted, after: this.#place.cursor }
  }

  #everything() {
    const { mailbox, domain, cursor } = this.#place
    return { mailbox: `${mailbox}@${domain}`, tags: [...this.#tags], after: cursor }
  }

  #addressOf(tag: string): string {
    return `${this.#place.mailbox}+${tag}@${this.#place.domain}`
  }
}

function countOf(count: number, match: InboxMatch): string {
  return `${count} ${count === 1 ? 'message' : 'messages'} that match ${describeMatch(match)}`
}
