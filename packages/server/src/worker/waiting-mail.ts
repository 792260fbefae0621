import { isUnrouted } from '../domain/retry.ts'
import { attemptDelayMs } from '../domain/set-aside.ts'
import type { AddressRange } from '../domain/transit.ts'
import { AddressCounts, type Addressed } from './address-counts.ts'
import { findDueAt, isSuspect } from './due.ts'
import { refusalOf, type Metadata } from './metadata.ts'
import { refusedMailExpiry } from './refused-mail.ts'
import { createUnroutedIndex } from './unrouted-index.ts'

/** Mails waiting to be announced that are kept in memory. A later search of the bucket finds the others. */
const KNOWN_MAX = 100_000
/** Mails that only an operator can retry. Remembered so that searches do not read them again. */
const GIVEN_UP_MAX = 200_000
/** A mail that may have crashed this process waits this long after a start, so that all other mail goes first. */
const AFTER_START_MS = 5_000

/** A mail that is still announced automatically. */
export type Waiting = {
  to: Addressed
  receivedAt: number
  lastAttemptAt: number
  dueAt: number
  /** No attempt before this time, even if the API comes back. */
  notBefore: number
  /** An attempt ended with a crash of the API or of this process, maybe because of this mail. It is announced while no other is in flight. */
  isSuspect: boolean
}

export type WaitingMail = ReturnType<typeof createWaitingMail>

type Given = {
  /** Null keeps refused mail. */
  refusedMailDays: number | null
  /** When this process started. */
  startedAt: number
}

/** Unprocessed mail known to the announcer, by metadata key. */
export function createWaitingMail({ refusedMailDays, startedAt }: Given) {
  const known = new Map<string, Waiting>()
  /** Values are the time at which the mail may be deleted; null keeps it. */
  const givenUp = new Map<string, number | null>()
  const setAside = new Map<string, Addressed>()
  const unrouted = createUnroutedIndex()
  const counts = { known: new AddressCounts(), setAside: new AddressCounts() }
  let dropped = 0

  function release(key: string): void {
    const waiting = known.get(key)
    if (waiting === undefined) return
    known.delete(key)
    counts.known.add(waiting.to, -1)
  }

  function giveUp(key: string, removableAt: number | null): void {
    release(key)
    if (givenUp.size < GIVEN_UP_MAX || givenUp.has(key)) givenUp.set(key, removableAt)
  }

  function forget(key: string): void {
    release(key)
    givenUp.delete(key)
    const aside = setAside.get(key)
    if (aside !== undefined) counts.setAside.add(aside, -1)
    setAside.delete(key)
    unrouted.remove(key)
  }

  return {
    remember(key: string, metadata: Metadata): void {
      const dueAt = findDueAt(metadata)
      forget(key)
      const { domain, mailbox, tag } = metadata
      const to = { domain, mailbox, tag }
      if (metadata.setAside) {
        setAside.set(key, to)
        counts.setAside.add(to, 1)
      } else if (isUnrouted(refusalOf(metadata))) unrouted.add(key)
      if (dueAt === null) return giveUp(key, refusedMailExpiry(metadata, refusedMailDays))
      const { receivedAt, lastAttemptAt, ownFailures, trying } = metadata
      if (known.size >= KNOWN_MAX) return void dropped++
      const triedAt = lastAttemptAt === null ? 0 : Date.parse(lastAttemptAt)
      const hasEndedProcess = trying !== null
      const notBefore = Math.max(
        triedAt + attemptDelayMs(ownFailures),
        hasEndedProcess ? startedAt + AFTER_START_MS : 0,
      )
      counts.known.add(to, 1)
      known.set(key, {
        to,
        receivedAt: Date.parse(receivedAt),
        lastAttemptAt: triedAt,
        // The API may have returned while this process was not running.
        dueAt: triedAt < startedAt ? notBefore : Math.max(dueAt, notBefore),
        notBefore,
        isSuspect: isSuspect(metadata),
      })
    },
    giveUp,
    forget,
    isKnown: (key: string) => known.has(key) || givenUp.has(key),
    /** Whether any is known that may be announced beside others. */
    hasOrdinary: () => known.values().some((mail) => !mail.isSuspect),
    due: (at: number) => known.entries().filter(([, waiting]) => waiting.dueAt <= at),
    postpone(key: string, until: number): void {
      const waiting = known.get(key)
      if (waiting) waiting.dueAt = until
    },
    wakeAll(): void {
      for (const waiting of known.values()) waiting.dueAt = waiting.notBefore
    },
    /** Makes the mail with the oldest previous attempt due, preferably one that may be announced beside others. */
    wakeOne(at: number): void {
      let next: Waiting | null = null
      for (const waiting of known.values()) {
        const isBetter =
          next === null ||
          (waiting.isSuspect === next.isSuspect ? waiting.lastAttemptAt < next.lastAttemptAt : next.isSuspect)
        if (isBetter) next = waiting
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
    /** Null for mail that is not announced automatically. */
    addressOf: (key: string) => known.get(key)?.to ?? null,
    /** The same counts, for some addresses. */
    within: (range: AddressRange) => ({ known: counts.known.of(range), setAside: counts.setAside.of(range) }),
    /** How often a mail was not remembered, because there were too many. */
    dropped: () => dropped,
    /** Mail that no team claims. */
    unrouted,
    oldestAt: () =>
      known
        .values()
        .reduce<number | null>((oldest, { receivedAt }) => Math.min(oldest ?? receivedAt, receivedAt), null),
  }
}
