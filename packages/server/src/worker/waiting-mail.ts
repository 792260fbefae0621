import { apartMs } from '../domain/set-aside.ts'
import { findDueAt } from './due.ts'
import type { Metadata } from './metadata.ts'
import { refusedUntil } from './refused-mail.ts'

/** Mail waiting to be announced that is known by name; more is found by a later look at the bucket. */
const KNOWN_MAX = 100_000
/** Mail that only a person can help, known so as not to be read at every search; more is read again. */
const GIVEN_UP_MAX = 200_000

/** One mail that is still to be announced by itself. */
export type Waiting = {
  receivedAt: number
  lastAttemptAt: number
  dueAt: number
  /** It is not tried before, even if the API comes back. */
  notBefore: number
  /** A try at it ended with the API or with this program, perhaps because of it: it is tried alone. */
  isSuspect: boolean
}

export type WaitingMail = ReturnType<typeof createWaitingMail>

/** What the announcer knows of unprocessed mail, by the key of its metadata. `refusedDays` is null to keep refused mail. */
export function createWaitingMail(refusedDays: number | null) {
  const known = new Map<string, Waiting>()
  /** With the time at which it may be removed; null to keep it. */
  const givenUp = new Map<string, number | null>()
  const setAside = new Set<string>()

  function giveUp(key: string, removableAt: number | null): void {
    known.delete(key)
    if (givenUp.size < GIVEN_UP_MAX || givenUp.has(key)) givenUp.set(key, removableAt)
  }

  function forget(key: string): void {
    known.delete(key)
    givenUp.delete(key)
    setAside.delete(key)
  }

  return {
    remember(key: string, metadata: Metadata): void {
      const dueAt = findDueAt(metadata)
      forget(key)
      if (metadata.setAside) setAside.add(key)
      if (dueAt === null) return giveUp(key, refusedUntil(metadata, refusedDays))
      const { receivedAt, lastAttemptAt, lastStatus, ownFailures, trying } = metadata
      if (known.size >= KNOWN_MAX) return
      const triedAt = lastAttemptAt === null ? 0 : Date.parse(lastAttemptAt)
      const notBefore = triedAt + apartMs(ownFailures)
      known.set(key, {
        receivedAt: Date.parse(receivedAt),
        lastAttemptAt: triedAt,
        dueAt: Math.max(dueAt, notBefore),
        notBefore,
        // An answer of 500 is about this mail alone, so that it harms no other beside it.
        isSuspect: trying !== null || (ownFailures > 0 && lastStatus !== 500),
      })
    },
    giveUp,
    forget,
    isKnown: (key: string) => known.has(key) || givenUp.has(key),
    isSuspect: (key: string) => known.get(key)?.isSuspect ?? false,
    due: (at: number) => known.entries().filter(([, waiting]) => waiting.dueAt <= at),
    postpone(key: string, until: number): void {
      const waiting = known.get(key)
      if (waiting) waiting.dueAt = until
    },
    wakeAll(): void {
      for (const waiting of known.values()) waiting.dueAt = waiting.notBefore
    },
    /** Makes due what has not been tried for the longest time. */
    wakeOne(at: number): void {
      let next: Waiting | null = null
      for (const waiting of known.values()) {
        if (next === null || waiting.lastAttemptAt < next.lastAttemptAt) next = waiting
      }
      if (next) next.dueAt = Math.max(at, next.notBefore)
    },
    removable: (at: number) =>
      givenUp
        .entries()
        .filter(([, removableAt]) => removableAt !== null && removableAt <= at)
        .map(([key]) => key),
    count: () => known.size,
    setAsideCount: () => setAside.size,
    oldestAt: () =>
      known
        .values()
        .reduce<number | null>((oldest, { receivedAt }) => Math.min(oldest ?? receivedAt, receivedAt), null),
  }
}
