import type {
  CypressEmail,
  CypressInbox,
  CypressInboxOptions,
  CypressScriptOptions,
  ExpectNoEmail,
  JsonMatch,
  JsonPattern,
  ScriptInbox,
  WaitForEmail,
} from './cypress-tasks.ts'
import type { InboxMatch } from './inbox.ts'
import { millisecondsOf, type Duration } from './duration.ts'
import { checkDuration, checkOptions } from './options.ts'
import { definitionsOf, type Step } from './scenario-steps.ts'

export { mailhatchTasks } from './cypress-tasks.ts'
export type {
  CypressEmail,
  CypressInbox,
  CypressInboxOptions,
  CypressScriptOptions,
  MailhatchTasks,
} from './cypress-tasks.ts'

const TIMEOUT_MS = 30_000
const WITHIN_MS = 2_000
/** The Cypress timeout is longer than the task's own, so that the task's error message is shown. */
const TASK_SPARE_MS = 5_000

/** What to wait for, without `where`: functions cannot be passed out of the browser. */
export type CypressMatch = Omit<InboxMatch, 'where'>

declare global {
  // eslint-disable-next-line typescript/no-namespace -- Cypress declares the types of commands here
  namespace Cypress {
    // Must match the type parameter of the interface that this extends.
    // eslint-disable-next-line typescript/no-explicit-any, typescript/no-unused-vars
    interface Chainable<Subject = any> {
      /** Creates a unique address. */
      inbox(options?: CypressInboxOptions): Chainable<CypressInbox>
      /** Waits for the next message to the inbox, or to the alias in `to`. Default timeout: 30 seconds. */
      waitForEmail(
        inbox: CypressInbox | string,
        match?: CypressMatch,
        options?: { timeout?: Duration },
      ): Chainable<CypressEmail>
      /** Passes if no matching message arrives within the time `within`. Default: 2,000 ms. */
      expectNoEmail(inbox: CypressInbox | string, match?: CypressMatch & { within?: Duration }): Chainable<null>
      /** Makes the mail server misbehave for the inbox until the end of the test. */
      scriptInbox(inbox: CypressInbox | string, steps: Step[], options?: CypressScriptOptions): Chainable<null>
    }
  }
}

/** The part of Cypress that the commands use. Not every project has the Cypress types installed. */
type InBrowser = {
  Cypress?: { Commands: { add: (name: string, command: (...given: never[]) => unknown) => void } }
  afterEach?: (hook: () => void) => void
  cy?: { task: (name: string, given: unknown, options?: { timeout: number }) => unknown }
}

// Defined in the browser. In the Cypress configuration, which only needs the tasks, it is undefined.
const browser = globalThis as InBrowser
if (browser.Cypress !== undefined) addCommands(browser.Cypress.Commands)

function addCommands({ add }: NonNullable<InBrowser['Cypress']>['Commands']): void {
  add('inbox', (options?: CypressInboxOptions) => task('mailhatch:inbox', options ?? null, TIMEOUT_MS))
  add('waitForEmail', (inbox: CypressInbox | string, match?: CypressMatch, options: { timeout?: Duration } = {}) => {
    const { timeout = TIMEOUT_MS } = checkOptions('waitForEmail', options, { timeout: checkDuration })
    const wait: WaitForEmail = { address: addressOf(inbox), match: toJson(match), timeout }
    return task('mailhatch:waitForEmail', wait, millisecondsOf(timeout))
  })
  add('expectNoEmail', (inbox: CypressInbox | string, match: CypressMatch & { within?: Duration } = {}) => {
    const { within: given = WITHIN_MS, ...rest } = match
    const within = millisecondsOf(given, '`within` of expectNoEmail')
    const watch: ExpectNoEmail = { address: addressOf(inbox), match: toJson(rest), within, timeout: TIMEOUT_MS }
    return task('mailhatch:expectNoEmail', watch, within + TIMEOUT_MS)
  })
  let hasScripts = false
  browser.afterEach?.(() => {
    if (hasScripts) task('mailhatch:endScripts', null, TIMEOUT_MS)
    hasScripts = false
  })
  add('scriptInbox', (inbox: CypressInbox | string, steps: Step[], options: CypressScriptOptions = {}) => {
    hasScripts = true
    const script: ScriptInbox = { address: addressOf(inbox), steps: definitionsOf(steps), options }
    return task('mailhatch:scriptInbox', script, TIMEOUT_MS)
  })
}

const task = (name: string, given: unknown, timeoutMs: number): unknown =>
  browser.cy!.task(name, given, { timeout: timeoutMs + TASK_SPARE_MS })

const addressOf = (inbox: CypressInbox | string): string => (typeof inbox === 'string' ? inbox : inbox.address)

function toJson(match: CypressMatch = {}): JsonMatch {
  if ('where' in match)
    throw new TypeError(
      '`where` is not supported: a function cannot leave the browser. Check the message after it arrived.',
    )
  const entries = Object.entries(match).map(([name, value]) => [
    name,
    value instanceof RegExp ? patternOf(value) : value,
  ])
  // The two types differ only in their patterns.
  return Object.fromEntries(entries) as JsonMatch
}

const patternOf = ({ source, flags }: RegExp): JsonPattern => ({ regex: source, flags })
