// For projects whose compiler settings do not include Symbol.asyncDispose.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Email } from './email.ts'
import { MessageCountError, UnexpectedMessageError } from './errors.ts'
import { millisecondsOf } from './duration.ts'
import { countOf, InboxMail, type InboxPlace } from './inbox-mail.ts'
import {
  EXPECT_NONE_OPTIONS,
  INBOX_SETTLED_OPTIONS,
  INBOX_WAIT_OPTIONS,
  type ExpectNoneOptions,
  type InboxMatch,
  type InboxSettledOptions,
  type InboxWaitOptions,
} from './inbox-options.ts'
import { checkMatch, describeMatch } from './match.ts'
import { checkCount, checkOptions } from './options.ts'
import { printable } from './printable.ts'
import type { MessageFilter } from './query.ts'
import type { StepDefinition } from './scenario-steps.ts'
import type { ScenarioOptions, Script } from './scenarios.ts'
import type { Reader } from './search.ts'
import { SETTLED_OPTIONS, settlingTimes, type Settled, type SettledOptions } from './settled.ts'
import { slug } from './slug.ts'
import { WAIT_OPTIONS, type WaitOptions } from './wait.ts'
import type { MessageSummary, SmtpAttempt } from './wire.ts'

/** How long to watch for a message that should not arrive. */
const WITHIN_MS = 2_000
const TIMEOUT_MS = 30_000
/** Time for the server's answer, beyond the quiet time, when the last message came at the end of the timeout. */
const LAST_ANSWER_MS = 500
/** RFC 5321, section 4.5.3.1.1. */
const LOCAL_PART_CHARACTERS_MAX = 64

export type { InboxMatch, InboxSettledOptions, InboxWaitOptions } from './inbox-options.ts'

export type InboxPorts = {
  reader: Reader
  list: (filter: MessageFilter) => AsyncIterable<MessageSummary>
  script: (to: string, steps: StepDefinition[], options: ScenarioOptions) => Promise<Script>
  attempts: (query: { to: string; after: string }) => Promise<SmtpAttempt[]>
}

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
  readonly #taken = new Set<string>()
  readonly #scripts: Script[] = []
  readonly #mail: InboxMail

  constructor(ports: InboxPorts, place: InboxPlace) {
    this.#ports = ports
    this.#place = place
    this.#mail = new InboxMail(ports.reader, place)
    this.address = this.#mail.address
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
    const address = this.#mail.addressOf(tag)
    if (address.indexOf('@') > LOCAL_PART_CHARACTERS_MAX) {
      throw new RangeError(
        `The alias ${address} is too long: at most ${LOCAL_PART_CHARACTERS_MAX} characters are allowed before the @.`,
      )
    }
    this.#mail.tags.add(tag)
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
    return this.#mail.find(match, waiting, again ? new Set() : this.#taken)
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
    let found = await this.#mail.findWithin(match, { timeout: within, ...(signal && { signal }) }, new Set(this.#taken))
    if (found === null && (await this.#mail.isSettled({ quiet: 0, timeout, signal }))) {
      found = (await this.#mail.collect(match, new Set(this.#taken), signal))[0] ?? null
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
    return this.#mail.settle(checkOptions('settled', given, INBOX_SETTLED_OPTIONS))
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
    const { timeout = TIMEOUT_MS } = checkOptions('waitForCount', options, WAIT_OPTIONS)
    return this.#mail.findCount(count, match, { ...options, timeout: millisecondsOf(timeout) })
  }

  /**
   * Waits for so many matching messages, then until all mail has arrived, and fails if there are more: no mail is sent twice.
   * If the last message comes at the end of the timeout, the quiet time and half a second follow.
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
    await this.#mail.findCount(count, match, { timeout: timeoutMs, ...(signal && { signal }) })
    const expectation = `exactly ${countOf(count, match)}`
    const leftMs = Math.max(deadline - performance.now(), quietMs + LAST_ANSWER_MS)
    const timeout = count === 0 ? timeoutMs : leftMs
    await this.#mail.settle({ quiet, timeout, signal }, { expectation, timeoutMs })
    const emails = await this.#mail.collect(match, new Set(), signal)
    if (emails.length !== count) throw new MessageCountError(expectation, emails)
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
    return this.#mail.collect(match, this.#taken, options.signal)
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
    for await (const message of this.#ports.list(this.#mail.everything())) messages.push(message)
    return messages
  }

  /** Aborts pending waits and ends scripts. The mail stays on the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#mail.life.abort(new Error(`The inbox ${this.address} was closed.`))
    // Some have ended before, and without the server they end by themselves, so failures do not matter.
    await Promise.allSettled(this.#scripts.map((script) => script.end()))
  }
}
