import type {
  CypressEmail,
  CypressInbox,
  CypressInboxOptions,
  ExpectNoEmail,
  JsonMatch,
  JsonPattern,
  WaitForEmail,
} from './cypress-tasks.ts'
import type { InboxMatch } from './inbox.ts'

export { mailhatchTasks } from './cypress-tasks.ts'
export type { CypressEmail, CypressInbox, CypressInboxOptions, MailhatchTasks } from './cypress-tasks.ts'

const TIMEOUT_MS = 30_000
const WITHIN_MS = 2_000
/** Cypress ends a task later than the task itself gives up, or nobody would read what it has to say. */
const TASK_SPARE_MS = 5_000

/** What to wait for; there is no `where`, because functions cannot leave the browser. */
export type CypressMatch = Omit<InboxMatch, 'where'>

declare global {
  // eslint-disable-next-line typescript/no-namespace -- where Cypress looks for the types of commands
  namespace Cypress {
    // The parameter must be that of the interface that this adds to.
    // eslint-disable-next-line typescript/no-explicit-any, typescript/no-unused-vars
    interface Chainable<Subject = any> {
      /** An address that nobody else has. */
      inbox(options?: CypressInboxOptions): Chainable<CypressInbox>
      /** The next message to an inbox, or to the alias that `to` names, within 30 seconds unless told. */
      waitForEmail(
        inbox: CypressInbox | string,
        match?: CypressMatch,
        options?: { timeout?: number },
      ): Chainable<CypressEmail>
      /** Passes when no message comes that matches, within 2 seconds unless told. */
      expectNoEmail(inbox: CypressInbox | string, match?: CypressMatch & { within?: number }): Chainable<null>
    }
  }
}

/** As much of Cypress as the commands need, whose own types not everybody has. */
type InBrowser = {
  Cypress?: { Commands: { add: (name: string, command: (...given: never[]) => unknown) => void } }
  cy?: { task: (name: string, given: unknown, options?: { timeout: number }) => unknown }
}

// Cypress puts its own into the browser; in its configuration, where the tasks are for, there is none.
const browser = globalThis as InBrowser
if (browser.Cypress !== undefined) addCommands(browser.Cypress.Commands)

function addCommands({ add }: NonNullable<InBrowser['Cypress']>['Commands']): void {
  add('inbox', (options?: CypressInboxOptions) => task('mailhatch:inbox', options ?? null, TIMEOUT_MS))
  add(
    'waitForEmail',
    (inbox: CypressInbox | string, match?: CypressMatch, { timeout = TIMEOUT_MS }: { timeout?: number } = {}) => {
      const wait: WaitForEmail = { address: addressOf(inbox), match: toJson(match), timeout }
      return task('mailhatch:waitForEmail', wait, timeout)
    },
  )
  add('expectNoEmail', (inbox: CypressInbox | string, match: CypressMatch & { within?: number } = {}) => {
    const { within = WITHIN_MS, ...rest } = match
    const watch: ExpectNoEmail = { address: addressOf(inbox), match: toJson(rest), within }
    return task('mailhatch:expectNoEmail', watch, within)
  })
}

const task = (name: string, given: unknown, timeoutMs: number): unknown =>
  browser.cy!.task(name, given, { timeout: timeoutMs + TASK_SPARE_MS })

const addressOf = (inbox: CypressInbox | string): string => (typeof inbox === 'string' ? inbox : inbox.address)

function toJson(match: CypressMatch = {}): JsonMatch {
  if ('where' in match) throw new TypeError('A function cannot leave the browser: check the message after it has come.')
  const entries = Object.entries(match).map(([name, value]) => [
    name,
    value instanceof RegExp ? patternOf(value) : value,
  ])
  // Patterns are all that the two shapes differ in.
  return Object.fromEntries(entries) as JsonMatch
}

const patternOf = ({ source, flags }: RegExp): JsonPattern => ({ regex: source, flags })
