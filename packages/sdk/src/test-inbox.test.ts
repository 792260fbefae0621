import { expect, test } from 'vitest'
import type { Inbox } from './inbox.ts'
import { inboxOfTest, prefixOf } from './test-inbox.ts'

/** How long a wait would take that is told nothing. */
async function timeoutOf(leftMs: number, timeoutMs?: number): Promise<number | undefined> {
  let asked: number | undefined
  // Only what a wait is given is looked at.
  const inbox = { address: '', waitFor: async (_: object, options: { timeout: number }) => (asked = options.timeout) }
  await inboxOfTest(inbox as unknown as Inbox, { leftMs: () => leftMs, timeoutMs }).waitFor({})
  return asked
}

test.each([
  ['30 seconds where the test may take for ever', Infinity, undefined, 30_000],
  ['30 seconds of a minute', 60_000, undefined, 30_000],
  ['3 seconds less than the test has', 30_000, undefined, 27_000],
  ['a fifth less than a short test has', 5_000, undefined, 4_000],
  ['nothing when the time is over', -100, undefined, 0],
  ['what was asked for', 60_000, 45_000, 45_000],
  ['less than was asked for', 30_000, 45_000, 27_000],
])('a wait takes %s', async (_, leftMs, timeoutMs, expected) => {
  expect(await timeoutOf(leftMs, timeoutMs)).toBe(expected)
})

test.each([
  ['Sign up by code', 0, 'sign-up-by-code-w0'],
  ['A title that is longer than an address has room for', 12, 'a-title-that-is-long-w12'],
  ['登録', 1, '-w1'],
])('the prefix of %s', (title, worker, prefix) => {
  expect(prefixOf(title, worker)).toBe(prefix)
  expect(prefix.length).toBeLessThanOrEqual(24)
})
