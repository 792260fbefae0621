import { expect as baseExpect, test as base, type Fixtures } from '@playwright/test'
import { Mailhatch } from './client.ts'
import { inboxMatchers } from './inbox-matchers.ts'
import { playwrightInbox, type PlaywrightInbox } from './playwright-inbox.ts'
import { collectEvidence } from './received-mail.ts'
import { inboxOfTest, prefixOf } from './test-inbox.ts'

export type { PlaywrightEmail, PlaywrightInbox } from './playwright-inbox.ts'

/** For the first request of a worker, and for what is attached after a failure; the test's own time is not used for it. */
const FIXTURE_MS_MAX = 30_000

export type InboxOptions = {
  /** MAILHATCH_URL, or else http://localhost:3003, unless told. */
  url?: string | undefined
  /** MAILHATCH_API_KEY unless told. */
  apiKey?: string | undefined
  /** Milliseconds that `waitFor` takes at most: 30,000 unless told, and less where the test ends before. */
  timeout?: number | undefined
  /** When the mail of a test is attached to its report: `on-failure` unless told. */
  attach?: 'on-failure' | 'always' | 'never' | undefined
  /** The key's own, the team's first, or `e2e`, unless told. */
  mailbox?: string | undefined
}

export type InboxTestFixtures = {
  /** An address that no other test has, and its mail. */
  inbox: PlaywrightInbox
  /** When the test began. */
  inboxClock: number
}

export type InboxWorkerFixtures = {
  inboxOptions: InboxOptions
  /** The client that a worker's inboxes share. */
  mailhatch: Mailhatch
}

/**
 * The fixtures on their own.
 *
 * @example
 * const test = base.extend(inboxFixtures)
 */
export const inboxFixtures: Fixtures<InboxTestFixtures, InboxWorkerFixtures> = {
  inboxOptions: [{}, { option: true, scope: 'worker' }],

  mailhatch: [
    async ({ inboxOptions }, use) => {
      await use(new Mailhatch({ url: inboxOptions.url, apiKey: inboxOptions.apiKey }))
    },
    { scope: 'worker' },
  ],

  // For every test, because only such fixtures are set up before all others, whose time counts too.
  inboxClock: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures that are needed from here
    async ({}, use) => {
      await use(performance.now())
    },
    { auto: true, box: true },
  ],

  inbox: [
    async ({ mailhatch, inboxOptions, inboxClock }, use, testInfo) => {
      const { attach = 'on-failure', mailbox, timeout: timeoutMs } = inboxOptions
      const prefix = prefixOf(testInfo.title, testInfo.workerIndex)
      const inbox = await mailhatch.addresses.create({ prefix, ...(mailbox !== undefined && { mailbox }) })
      // Zero is Playwright's way to say that a test may take for ever; `test.setTimeout` may change it at any time.
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
 * Playwright's own `test`, with an inbox for each test that asks for one.
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
 * Playwright's own `expect`, which can also look into an inbox.
 *
 * @example
 * await expect(inbox).toHaveReceived({ subject: 'Receipt', hasAttachment: true })
 */
export const expect = baseExpect.extend(inboxMatchers)
