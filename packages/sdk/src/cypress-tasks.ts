import { Mailhatch, type MailhatchOptions } from './client.ts'
import type { Duration } from './duration.ts'
import type { Email } from './email.ts'
import { ContentNotFoundError } from './errors.ts'
import type { Inbox, InboxMatch } from './inbox.ts'
import type { ScenarioOptions, Script } from './scenarios.ts'
import type { MessageDetail, ScenarioStep } from './wire.ts'

/** How many inboxes to remember for later commands; the oldest are dropped first. */
const INBOXES_MAX = 1_000

/** A regular expression as JSON. */
export type JsonPattern = { regex: string; flags?: string }

type PatternName = 'to' | 'from' | 'subject' | 'text'

/** What to wait for, as JSON: functions cannot be passed from the browser to the task. */
export type JsonMatch = Omit<InboxMatch, PatternName | 'where'> & { [name in PatternName]?: string | JsonPattern }

export type CypressInboxOptions = {
  /** Put before the random part of the address. */
  prefix?: string
  mailbox?: string
  /** Names of additional recipients; each gets its own address. */
  aliases?: string[]
}

export type CypressInbox = { address: string; aliases: Record<string, string> }

/** A message with its code and link, which are empty if it has none. */
export type CypressEmail = MessageDetail & { text: string; html: string; code: string; link: string }

export type WaitForEmail = { address: string; match?: JsonMatch; timeout?: Duration }
/** `timeout`: how long to wait for mail that is on its way. */
export type ExpectNoEmail = { address: string; match?: JsonMatch; within?: Duration; timeout?: Duration }
export type ScriptInbox = { address: string; steps: ScenarioStep[]; options?: CypressScriptOptions }
export type CypressScriptOptions = Pick<ScenarioOptions, 'match' | 'expiresIn'>

/** The tasks behind the commands. Arguments and results are JSON. */
export type MailhatchTasks = {
  'mailhatch:inbox': (options: CypressInboxOptions | null) => Promise<CypressInbox>
  'mailhatch:waitForEmail': (wait: WaitForEmail) => Promise<CypressEmail>
  'mailhatch:expectNoEmail': (watch: ExpectNoEmail) => Promise<null>
  'mailhatch:scriptInbox': (script: ScriptInbox) => Promise<null>
  'mailhatch:endScripts': () => Promise<null>
}

/**
 * The tasks behind `cy.inbox()`, `cy.waitForEmail()`, `cy.expectNoEmail()` and `cy.scriptInbox()`.
 *
 * @example
 * setupNodeEvents(on) {
 *   on('task', mailhatchTasks())
 * }
 */
export function mailhatchTasks(options: MailhatchOptions = {}): MailhatchTasks {
  const mailhatch = new Mailhatch(options)
  const inboxes = new Map<string, Inbox>()
  let scripts: Script[] = []

  function inboxOf(address: string): Inbox {
    const inbox = inboxes.get(address)
    if (inbox === undefined) throw new Error(`${address} was not created by cy.inbox().`)
    return inbox
  }

  return {
    async 'mailhatch:inbox'(options) {
      const { aliases = [], ...rest } = options ?? {}
      const inbox = await mailhatch.addresses.create(rest)
      inboxes.set(inbox.address, inbox)
      const [oldest] = inboxes.keys()
      if (inboxes.size > INBOXES_MAX) inboxes.delete(oldest!)
      return {
        address: inbox.address,
        aliases: Object.fromEntries(aliases.map((name) => [name, inbox.alias(name)])),
      }
    },

    async 'mailhatch:waitForEmail'({ address, match = {}, timeout }) {
      const options = timeout === undefined ? {} : { timeout }
      return toJson(await inboxOf(address).waitFor(matchOf(match), options))
    },

    async 'mailhatch:expectNoEmail'({ address, match = {}, ...options }) {
      await inboxOf(address).expectNone({ ...matchOf(match), ...options })
      return null
    },

    async 'mailhatch:scriptInbox'({ address, steps, options }) {
      const definitions = steps.map((definition) => ({ definition }))
      scripts.push(await inboxOf(address).script(definitions, options))
      return null
    },

    async 'mailhatch:endScripts'() {
      const ending = scripts
      scripts = []
      // Some have ended before, and without the server they end by themselves, so failures do not matter.
      await Promise.allSettled(ending.map((script) => script.end()))
      return null
    },
  }
}

function matchOf(match: JsonMatch): InboxMatch {
  const entries = Object.entries(match).map(([name, value]) => [name, isPattern(value) ? patternOf(value) : value])
  // The two types differ only in their patterns.
  return Object.fromEntries(entries) as InboxMatch
}

const isPattern = (value: unknown): value is JsonPattern =>
  typeof value === 'object' && value !== null && 'regex' in value
const patternOf = ({ regex, flags }: JsonPattern): RegExp => new RegExp(regex, flags)

function toJson(email: Email): CypressEmail {
  const { text, html } = email
  const message: MessageDetail = email
  return { ...message, text, html, code: email.codes[0]?.value ?? '', link: linkOf(email) }
}

function linkOf(email: Email): string {
  try {
    return email.link()
  } catch (error) {
    if (error instanceof ContentNotFoundError) return ''
    throw error
  }
}
