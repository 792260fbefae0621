import { MessageTimeoutError } from './errors.ts'
import type { InboxMatch } from './inbox.ts'
import { describeMatch } from './match.ts'
import { checkOptions } from './options.ts'
import { printable } from './printable.ts'
import type { TestInbox } from './test-inbox.ts'
import { WAIT_OPTIONS, type WaitOptions } from './wait.ts'

/** How long `.not` watches for a message that should not arrive. */
const NOT_WITHIN_MS = 2_000

export const inboxMatchers = {
  /**
   * Waits for a matching message, which `waitFor` still returns afterwards. With `.not`, passes if none arrives within
   * 2 seconds, or within `timeout`.
   */
  async toHaveReceived(
    this: { isNot: boolean },
    inbox: Pick<TestInbox, 'address' | 'waitFor'>,
    match: InboxMatch = {},
    options: WaitOptions = {},
  ): Promise<{ pass: boolean; message: () => string }> {
    checkOptions('toHaveReceived', options, WAIT_OPTIONS)
    const defaults = this.isNot ? { timeout: NOT_WITHIN_MS } : {}
    try {
      const { subject, from } = await inbox.waitFor(match, { ...defaults, ...options, again: true })
      const what = `'${printable(subject)}' from ${printable(from)}`
      const wanted = `a message that matches ${describeMatch(match)}`
      return { pass: true, message: () => `Expected ${inbox.address} not to receive ${wanted}, but ${what} arrived.` }
    } catch (error) {
      // If the last request failed, it is unknown whether a message arrived.
      if (!(error instanceof MessageTimeoutError) || (this.isNot && error.cause !== undefined)) throw error
      return { pass: false, message: () => error.message }
    }
  },
}
