import { expect, test } from 'vitest'
import type { Inbox } from './inbox.ts'
import { inboxOfTest, prefixOf } from './test-inbox.ts'

/** The timeout of a wait without options. */
async function timeoutOf(leftMs: number, timeoutMs?: number): Promise<number | undefined> {
  let used: number | undefined
  // Only the options of the wait matter here.
  const inbox = { address: '', waitFor: async (_: object, options: { timeout: number }) => (used = options.timeout) }
  await inboxOfTest(inbox as unknown as Inbox, { leftMs: () => leftMs, timeoutMs }).waitFor({})
  return used
}

test.each([
  ['30 seconds if the test has no timeout', Infinity, undefined, 30_000],
  ['30 seconds of a minute', 60_000, undefined, 30_000],
  ['3 seconds less than the test has', 30_000, undefined, 27_000],
  ['a fifth less than a short test has', 5_000, undefined, 4_000],
  ['no time when the test is over', -100, undefined, 0],
  ['the given timeout', 60_000, 45_000, 45_000],
  ['less than the given timeout', 30_000, 45_000, 27_000],
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
