import type { Inbox } from './inbox.ts'
import { slug } from './slug.ts'

const TIMEOUT_MS = 30_000
/** An address has room for so much of a title. */
const PREFIX_CHARACTERS_MAX = 24
/** So long before the runner ends the test, to say what came instead; the last request may be late by two seconds. */
const SPARE_MS = 3_000
/** Of a short test less is kept. */
const SPARE_PART = 1 / 5

/** An inbox as a test has it: waits end before the test does. */
export type TestInbox = Pick<Inbox, 'address' | 'alias' | 'waitFor' | 'expectNone' | 'messages'>

/** `leftMs`: what remains of the test; Infinity where it may take for ever. */
export type TestTime = { leftMs: () => number; timeoutMs: number | undefined }

export function inboxOfTest(inbox: Inbox, { leftMs, timeoutMs = TIMEOUT_MS }: TestTime): TestInbox {
  return {
    address: inbox.address,
    alias: (name) => inbox.alias(name),
    waitFor: (match, options) => inbox.waitFor(match, { timeout: Math.min(timeoutMs, usableMs(leftMs())), ...options }),
    expectNone: (match) => inbox.expectNone(match),
    messages: () => inbox.messages(),
  }
}

/** To recognise the test and its worker by. */
export function prefixOf(title: string, worker: string | number): string {
  const end = `-w${worker}`
  return slug(title).slice(0, PREFIX_CHARACTERS_MAX - end.length) + end
}

function usableMs(leftMs: number): number {
  return Math.max(0, Math.floor(leftMs - Math.min(SPARE_MS, leftMs * SPARE_PART)))
}
