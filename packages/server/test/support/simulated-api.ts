import { attemptDelayMs, countFailure, OWN_FAILURES_MAX } from '../../src/domain/set-aside.ts'
import { nextAnnouncementAt } from '../../src/domain/retry.ts'
import { createRecentResults } from '../../src/worker/recent-results.ts'
import { seededRandom } from './seeded-random.ts'

const ATTEMPT_MS_MAX = 50
/** How often due mail is looked for. */
const TICK_MS = 500
const DEATH_MS = 1_000
/** As many as the announcer has under way. */
const UNDER_WAY_MAX = 64
const DRAIN_MS_MAX = 1_000
const SERIES_MS_MAX = 1_000
const FLOW_PER_WAIT = 2

type Mail = {
  name: string
  isPoison: boolean
  /** Whether poison that does not end the API gets no response, in place of a 500. */
  isCutOff: boolean
  receivedAt: number
  previousAt: number
  attempts: number
  own: number
  isSuspect: boolean
}
type Event = { at: number; act: () => void }

export type SimulatedRun = {
  seed: number
  mails: number
  /** The average time between messages. */
  everyMs: number
  /** How often the API fails by itself. */
  failures: number
  poison: number
  /** Each poison mail is followed by this many others. */
  othersBetween?: number
  /** Poison ends the API with everything in progress, and the API is down for a second. */
  isDeadly?: boolean
  /** How long the API is blocked before it ends. */
  blocksMs?: number
  /** The first mail ends the API too, but only once, because it was stored before. */
  isFirstEnding?: boolean
  /** The API also ends by itself, on average after this time. */
  endsAfterMs?: number | null
  /** One of three replicas is always restarting: during `awayMs` of every `everyMs`, a proxy fails a third of the requests. */
  restarts?: { everyMs: number; awayMs: number } | null
}

/** The rule for setting mail aside and the retry schedule in simulated time: days pass in a moment. */
export function simulate(run: SimulatedRun) {
  const {
    seed,
    mails,
    everyMs,
    failures,
    poison,
    othersBetween = 0,
    isDeadly = false,
    blocksMs = 0,
    isFirstEnding = false,
    endsAfterMs = null,
    restarts = null,
  } = run
  const random = seededRandom(seed)
  const events: Event[] = []
  let now = 1_000_000
  const results = createRecentResults(() => now)
  const underWay = new Map<Mail, number>()
  const held: Mail[] = []
  let alone: Mail | null = null
  let othersWaitSince: number | null = null
  let nextAloneAt = 0
  let accepted = 0
  let longestMs = 0
  const setAside: Mail[] = []
  let awayUntil = 0
  let isBlocked = false

  function plan(at: number, act: () => void): void {
    // The next one is last, and of those at the same time, the one that was planned first.
    let place = events.length
    for (; place > 0 && events[place - 1]!.at <= at; place--) events[place] = events[place - 1]!
    events[place] = { at, act }
  }

  function announce(mail: Mail): void {
    if (now < awayUntil) return planRetry(mail)
    if (!hasRoomFor(mail)) return hold(mail)
    if (mail.isSuspect) alone = mail
    if (underWay.size >= UNDER_WAY_MAX) return plan(now + TICK_MS, () => announce(mail))
    underWay.set(mail, now)
    plan(now + 1 + random.below(ATTEMPT_MS_MAX), () => underWay.has(mail) && !isBlocked && answer(mail))
  }

  /** Like the announcer: mail that may have crashed the API is announced alone. */
  function hasRoomFor(mail: Mail): boolean {
    if (alone) return false
    if (mail.isSuspect) return now >= nextAloneAt && underWay.size === 0
    return now < nextAloneAt || !held.some(({ isSuspect }) => isSuspect)
  }

  function hold(mail: Mail): void {
    held.push(mail)
    if (!mail.isSuspect || alone || now < nextAloneAt || othersWaitSince !== null) return
    const since = (othersWaitSince = now)
    plan(now + DRAIN_MS_MAX, () => othersWaitSince === since && !alone && letOthersFlow())
  }

  function letOthersFlow(): void {
    nextAloneAt = now + FLOW_PER_WAIT * (now - (othersWaitSince ?? now))
    othersWaitSince = null
    plan(nextAloneAt, announceHeld)
    announceHeld()
  }

  function answer(mail: Mail): void {
    const endsOnce = isFirstEnding && mail.name === 'm0' && mail.attempts === 0
    if (endsOnce || (mail.isPoison && isDeadly)) block()
    else if (mail.isPoison) fail(mail, mail.isCutOff)
    else if (random.chance(failures)) fail(mail, random.chance(0.5))
    else if (restarts && now % restarts.everyMs < restarts.awayMs && random.chance(1 / 3)) fail(mail, true)
    else {
      leave(mail)
      results.noteAccepted(mail.name)
      accepted++
      longestMs = Math.max(longestMs, now - mail.receivedAt)
    }
  }

  function leave(mail: Mail): void {
    underWay.delete(mail)
    if (mail === alone) {
      alone = null
      othersWaitSince ??= now
      if (!held.some(({ isSuspect }) => isSuspect) || now - othersWaitSince >= SERIES_MS_MAX) return letOthersFlow()
    }
    announceHeld()
  }

  /** What waited for room, first what has to be alone. */
  function announceHeld(): void {
    const { suspects = [], others = [] } = Object.groupBy(held.splice(0), ({ isSuspect }) =>
      isSuspect ? 'suspects' : 'others',
    )
    const byName = new Map(suspects.map((mail) => [mail.name, mail]))
    const ordered: Mail[] = []
    while (byName.size > 0) {
      const name = results.leastSuspect(byName.keys())!
      ordered.push(byName.get(name)!)
      byName.delete(name)
    }
    for (const mail of [...ordered, ...others]) plan(now, () => announce(mail))
  }

  function block(): void {
    isBlocked = true
    plan(now + blocksMs, end)
  }

  function end(): void {
    isBlocked = false
    awayUntil = now + DEATH_MS
    const all = Array.from(underWay.keys())
    for (const hit of random.chance(0.5) ? all : all.toReversed()) fail(hit, true)
  }

  function fail(mail: Mail, isCrash: boolean): void {
    const { name, previousAt } = mail
    const others = results.noteFailure(name, { previousAt, beganAt: underWay.get(mail)!, at: now, isCrash })
    const isOtherMailExcluded = !isCrash || mail === alone
    leave(mail)
    mail.own = countFailure(mail.own, { others, sincePreviousMs: now - previousAt, isOtherMailExcluded })
    mail.isSuspect = isCrash && mail.own > 0
    mail.attempts++
    mail.previousAt = now
    if (mail.own < OWN_FAILURES_MAX) return planRetry(mail)
    results.forget(name)
    setAside.push(mail)
  }

  function planRetry(mail: Mail): void {
    const { receivedAt, attempts, previousAt: lastAttemptAt } = mail
    const at = nextAnnouncementAt({ receivedAt, attempts: Math.max(1, attempts), lastAttemptAt })
    if (at === null) return
    const dueAt = Math.max(at, now + 1, lastAttemptAt + attemptDelayMs(mail.own))
    plan(Math.ceil(dueAt / TICK_MS) * TICK_MS, () => announce(mail))
  }

  function arrive(number: number): void {
    // Poison arrives among other mail.
    const place = (number - 10) / (1 + othersBetween)
    const isPoison = Number.isInteger(place) && place >= 0 && place < poison
    const mail = {
      name: `m${number}`,
      isPoison,
      isCutOff: random.chance(0.5),
      receivedAt: now,
      previousAt: now,
      attempts: 0,
      own: 0,
      isSuspect: false,
    }
    announce(mail)
    if (number + 1 < mails) plan(now + random.below(2 * everyMs + 1), () => arrive(number + 1))
  }

  /** Until all mail has arrived: then there is nothing left to fail. */
  function endByItself(meanMs: number, until: number): void {
    if (!isBlocked && now >= awayUntil) block()
    const at = now + random.below(2 * meanMs)
    if (at < until) plan(at, () => endByItself(meanMs, until))
  }

  arrive(0)
  if (endsAfterMs !== null) endByItself(endsAfterMs, now + mails * everyMs)
  for (let next = events.pop(); next; next = events.pop()) {
    now = Math.max(now, next.at)
    next.act()
  }
  return {
    harmless: setAside.filter(({ isPoison }) => !isPoison).length,
    poisonTries: setAside.filter(({ isPoison }) => isPoison).map(({ attempts }) => attempts),
    /** Neither accepted nor set aside. */
    missing: mails - accepted - setAside.length,
    longestMs,
  }
}
