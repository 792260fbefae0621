import { MessageTimeoutError } from './errors.ts'
import type { InboxMatch } from './inbox.ts'
import { describeMatch } from './match.ts'
import { printable } from './printable.ts'
import type { TestInbox } from './test-inbox.ts'
import type { WaitOptions } from './wait.ts'

/** How long mail is watched for that should not come. */
const NOT_WITHIN_MS = 2_000

export const inboxMatchers = {
  /**
   * Passes when a message matches, waiting for it; `waitFor` still gives that message. With `.not`, it watches for 2 seconds
   * unless told.
   */
  async toHaveReceived(
    this: { isNot: boolean },
    inbox: Pick<TestInbox, 'address' | 'waitFor'>,
    match: InboxMatch = {},
    options: WaitOptions = {},
  ): Promise<{ pass: boolean; message: () => string }> {
    const patience = this.isNot ? { timeout: NOT_WITHIN_MS } : {}
    try {
      const { subject, from } = await inbox.waitFor(match, { ...patience, ...options, again: true })
      const what = `'${printable(subject)}' from ${printable(from)}`
      const wanted = `a message that matches ${describeMatch(match)}`
      return { pass: true, message: () => `Expected ${inbox.address} not to receive ${wanted}, but ${what} came.` }
    } catch (error) {
      // Only a server that was asked to the end can say that nothing came.
      if (!(error instanceof MessageTimeoutError) || (this.isNot && error.cause !== undefined)) throw error
      return { pass: false, message: () => error.message }
    }
  },
}
