import { attemptDelayMs, countFailure, OWN_FAILURES_MAX } from '../../src/domain/set-aside.ts'
import { nextAnnouncementAt } from '../../src/domain/retry.ts'
import { createRecentResults } from '../../src/worker/recent-results.ts'
import { seededRandom } from './seeded-random.ts'

const ATTEMPT_MS_MAX = 50
/** How often due mail is looked for. */
const TICK_MS = 500
const DEATH_MS = 1_000

type Mail = {
  name: string
  isPoison: boolean
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
  /** Poison ends the API with everything in progress, and the API is down for a second. */
  isDeadly?: boolean
}

/** The rule for setting mail aside and the retry schedule in simulated time: days pass in a moment. */
export function simulate({ seed, mails, everyMs, failures, poison, isDeadly = false }: SimulatedRun) {
  const random = seededRandom(seed)
  const events: Event[] = []
  let now = 1_000_000
  const results = createRecentResults(() => now)
  const underWay = new Map<Mail, number>()
  const setAside: Mail[] = []
  let awayUntil = 0

  function plan(at: number, act: () => void): void {
    // The next one is last.
    let place = events.length
    for (; place > 0 && events[place - 1]!.at < at; place--) events[place] = events[place - 1]!
    events[place] = { at, act }
  }

  function announce(mail: Mail): void {
    if (now < awayUntil) return planRetry(mail)
    // Like the announcer: mail that may have crashed the API is announced without another such mail beside it.
    if (mail.isSuspect && underWay.keys().some(({ isSuspect }) => isSuspect)) return planRetry(mail)
    underWay.set(mail, now)
    plan(now + 1 + random.below(ATTEMPT_MS_MAX), () => underWay.has(mail) && answer(mail))
  }

  function answer(mail: Mail): void {
    if (mail.isPoison && isDeadly) {
      awayUntil = now + DEATH_MS
      const all = Array.from(underWay.keys())
      for (const hit of random.chance(0.5) ? all : all.toReversed()) fail(hit, true)
    } else if (mail.isPoison || random.chance(failures)) fail(mail, random.chance(0.5))
    else {
      underWay.delete(mail)
      results.noteAccepted(mail.name)
    }
  }

  function fail(mail: Mail, isCrash: boolean): void {
    const { name, previousAt } = mail
    const others = results.noteFailure(name, { previousAt, beganAt: underWay.get(mail)!, at: now, isCrash })
    underWay.delete(mail)
    mail.own = countFailure(mail.own, { others, sincePreviousMs: now - previousAt })
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
    const isPoison = number >= 10 && number < 10 + poison
    const mail = {
      name: `m${number}`,
      isPoison,
      receivedAt: now,
      previousAt: now,
      attempts: 0,
      own: 0,
      isSuspect: false,
    }
    announce(mail)
    if (number + 1 < mails) plan(now + random.below(2 * everyMs + 1), () => arrive(number + 1))
  }

  arrive(0)
  for (let next = events.pop(); next; next = events.pop()) {
    now = Math.max(now, next.at)
    next.act()
  }
  return {
    harmless: setAside.filter(({ isPoison }) => !isPoison).length,
    poisonTries: setAside.filter(({ isPoison }) => isPoison).map(({ attempts }) => attempts),
  }
}
