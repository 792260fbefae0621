import { expect as baseExpect, test as base, type Fixtures } from '@playwright/test'
import { Mailhatch } from './client.ts'
import { millisecondsOf, type Duration } from './duration.ts'
import { inboxMatchers } from './inbox-matchers.ts'
import { anything, checkDuration, checkOptions, oneOf, type OptionChecks } from './options.ts'
import { playwrightInbox, type PlaywrightInbox } from './playwright-inbox.ts'
import { collectEvidence } from './received-mail.ts'
import { inboxOfTest, prefixOf } from './test-inbox.ts'

export type { PlaywrightEmail, PlaywrightInbox } from './playwright-inbox.ts'

/** For the first request of a worker and for attachments after a failure. Does not count towards the test's timeout. */
const FIXTURE_MS_MAX = 30_000

export type InboxOptions = {
  /** Default: MAILHATCH_URL, else http://localhost:3003. */
  url?: string | undefined
  /** Default: MAILHATCH_API_KEY. */
  apiKey?: string | undefined
  /** Timeout of `waitFor`. Default: 30,000 ms, or less if the test ends earlier. */
  timeout?: Duration | undefined
  /** When to attach the mail of a test to its report. Default: `on-failure`. */
  attach?: 'on-failure' | 'always' | 'never' | undefined
  /** Default: the mailbox of the key, else the team's first, else `e2e`. */
  mailbox?: string | undefined
}

const INBOX_OPTIONS: OptionChecks<InboxOptions> = {
  url: anything,
  apiKey: anything,
  timeout: checkDuration,
  attach: oneOf('on-failure', 'always', 'never'),
  mailbox: anything,
}

export type InboxTestFixtures = {
  /** A unique address for this test, and its mail. */
  inbox: PlaywrightInbox
  /** When the test started. */
  inboxClock: number
}

export type InboxWorkerFixtures = {
  inboxOptions: InboxOptions
  /** The client shared by all inboxes of a worker. */
  mailhatch: Mailhatch
}

/**
 * The fixtures, to extend your own `test` with.
 *
 * @example
 * const test = base.extend(inboxFixtures)
 */
export const inboxFixtures: Fixtures<InboxTestFixtures, InboxWorkerFixtures> = {
  inboxOptions: [{}, { option: true, scope: 'worker' }],

  mailhatch: [
    async ({ inboxOptions }, use) => {
      const { url, apiKey } = checkOptions('inboxOptions', inboxOptions, INBOX_OPTIONS)
      await use(new Mailhatch({ url, apiKey }))
    },
    { scope: 'worker' },
  ],

  // Automatic, because such fixtures run before all others, whose setup counts towards the timeout.
  inboxClock: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
    async ({}, use) => {
      await use(performance.now())
    },
    { auto: true, box: true },
  ],

  inbox: [
    async ({ mailhatch, inboxOptions, inboxClock }, use, testInfo) => {
      const { attach = 'on-failure', mailbox, timeout } = inboxOptions
      const timeoutMs = timeout === undefined ? undefined : millisecondsOf(timeout)
      const prefix = prefixOf(testInfo.title, testInfo.workerIndex)
      const inbox = await mailhatch.addresses.create({ prefix, ...(mailbox !== undefined && { mailbox }) })
      // Zero means no timeout. Read each time, because `test.setTimeout` may change it.
      const leftMs = () => (testInfo.timeout || Infinity) - (performance.now() - inboxClock)
      await use(playwrightInbox(inboxOfTest(inbox, { leftMs, timeoutMs })))
      await inbox[Symbol.asyncDispose]()
      const isFailed = testInfo.status !== testInfo.expectedStatus
      if (attach === 'never' || (attach === 'on-failure' && !isFailed)) return
      for (const { name, contentType, body } of await collectEvidence(mailhatch, inbox)) {
        await testInfo.attach(name, { contentType, body: Buffer.from(body) })
      }
    },
    { timeout: FIXTURE_MS_MAX },
  ],
}

/**
 * Playwright's `test` with the `inbox` fixture.
 *
 * @example
 * test('sign up', async ({ page, inbox }) => {
 *   await page.goto('/sign-up')
 *   await page.getByLabel('Email').fill(inbox.address)
 *   await page.getByRole('button', { name: 'Sign up' }).click()
 *   const mail = await inbox.waitFor({ subject: 'Verify' })
 *   await page.getByLabel('Code').fill(mail.code())
 * })
 */
export const test = base.extend<InboxTestFixtures, InboxWorkerFixtures>(inboxFixtures)

/**
 * Playwright's `expect` with the matcher `toHaveReceived`.
 *
 * @example
 * await expect(inbox).toHaveReceived({ subject: 'Receipt', hasAttachment: true })
 */
export const expect = baseExpect.extend(inboxMatchers)
