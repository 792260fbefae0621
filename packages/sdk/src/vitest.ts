import { expect, test as base } from 'vitest'
import { Mailhatch } from './client.ts'
import type { InboxMatch } from './inbox.ts'
import { inboxMatchers } from './inbox-matchers.ts'
import { collectEvidence, type Evidence } from './received-mail.ts'
import { inboxOfTest, prefixOf, type TestInbox } from './test-inbox.ts'
import type { WaitOptions } from './wait.ts'

export { expect }
export type { TestInbox }

declare module 'vitest' {
  // Must match the type parameters of the interface that this extends.
  // eslint-disable-next-line typescript/no-unused-vars
  interface Matchers<R, T> {
    /** Waits for a matching message, which `waitFor` still returns afterwards. */
    toHaveReceived(match?: InboxMatch, options?: WaitOptions): Promise<void>
  }
}

expect.extend(inboxMatchers)

type InboxFixtures = {
  /** A unique address for this test, and its mail. */
  inbox: TestInbox
  /** The client, configured by MAILHATCH_URL and MAILHATCH_API_KEY. */
  mailhatch: Mailhatch
}

/**
 * Vitest's `test` with the `inbox` fixture.
 *
 * @example
 * test('sign up', async ({ inbox }) => {
 *   await signUp(inbox.address)
 *   const mail = await inbox.waitFor({ subject: 'Verify' })
 *   expect(mail.link('/verify')).toContain('token=')
 * })
 */
export const test = base.extend<InboxFixtures>({
  // eslint-disable-next-line no-empty-pattern -- Vitest reads the required fixtures from this pattern
  mailhatch: async ({}, use) => {
    await use(sharedClient())
  },

  inbox: async ({ mailhatch, task, annotate, onTestFailed }, use) => {
    const beganAt = performance.now()
    const leftMs = () => (task.timeout || Infinity) - (performance.now() - beganAt)
    const inbox = await mailhatch.addresses.create({ prefix: prefixOf(task.name, workerOf()) })
    onTestFailed(async () => {
      const evidence = await collectEvidence(mailhatch, inbox)
      await Promise.all(annotateAfterwards(task, () => evidence.map((each) => annotate(...annotationOf(each)))))
    })
    await use(inboxOfTest(inbox, { leftMs, timeoutMs: undefined }))
    await inbox[Symbol.asyncDispose]()
  },
})

let client: Mailhatch | undefined

/** One client per worker. */
function sharedClient(): Mailhatch {
  return (client ??= new Mailhatch())
}

function workerOf(): string {
  return process.env['VITEST_POOL_ID'] ?? '0'
}

/** As bytes, because Vitest takes strings for Base64. */
function annotationOf({ name, contentType, body }: Evidence) {
  return [name, { contentType, body: typeof body === 'string' ? new TextEncoder().encode(body) : body }] as const
}

/** Vitest reports a failure after the test has ended, but accepts annotations only while it runs. */
function annotateAfterwards<Value>({ result }: { result?: { state: string } }, annotate: () => Value): Value {
  if (result === undefined) return annotate()
  const { state } = result
  result.state = 'run'
  try {
    return annotate()
  } finally {
    result.state = state
  }
}
