import type { Inbox } from './inbox.ts'
import { checkObject } from './options.ts'
import { slug } from './slug.ts'

const TIMEOUT_MS = 30_000
/** How much of a test's title fits into an address. */
const PREFIX_CHARACTERS_MAX = 24
/** Waits end this long before the test, to report what arrived instead. The last request may be two seconds late. */
const SPARE_MS = 3_000
/** At most this part of the remaining time, for short tests. */
const SPARE_PART = 1 / 5

/** The inbox of a test, whose waits end before the test times out. */
export type TestInbox = Pick<
  Inbox,
  | 'address'
  | 'alias'
  | 'script'
  | 'attempts'
  | 'waitFor'
  | 'expectNone'
  | 'messages'
  | 'settled'
  | 'waitForCount'
  | 'waitForAll'
  | 'expectExactly'
>

/** `leftMs`: the remaining time of the test; Infinity without a timeout. */
export type TestTime = { leftMs: () => number; timeoutMs: number | undefined }

export function inboxOfTest(inbox: Inbox, { leftMs, timeoutMs = TIMEOUT_MS }: TestTime): TestInbox {
  const timeout = () => Math.min(timeoutMs, usableMs(leftMs()))
  /** With the timeout of the test, unless another is given. */
  const timed = (of: string, options: object | undefined) => ({
    timeout: timeout(),
    ...(options && checkObject(of, options)),
  })
  return {
    address: inbox.address,
    alias: (name) => inbox.alias(name),
    script: (steps, options) => inbox.script(steps, options),
    attempts: () => inbox.attempts(),
    waitFor: (match, options) => inbox.waitFor(match, timed('waitFor', options)),
    expectNone: (match) => inbox.expectNone(timed('expectNone', match)),
    settled: (options) => inbox.settled(timed('settled', options)),
    waitForCount: (count, match, options) => inbox.waitForCount(count, match, timed('waitForCount', options)),
    waitForAll: (match, options) => inbox.waitForAll(match, timed('waitForAll', options)),
    expectExactly: (count, match, options) => inbox.expectExactly(count, match, timed('expectExactly', options)),
    messages: () => inbox.messages(),
  }
}

/** A prefix that identifies the test and its worker. */
export function prefixOf(title: string, worker: string | number): string {
  const end = `-w${worker}`
  return slug(title).slice(0, PREFIX_CHARACTERS_MAX - end.length) + end
}

function usableMs(leftMs: number): number {
  return Math.max(0, Math.floor(leftMs - Math.min(SPARE_MS, leftMs * SPARE_PART)))
}
