import { setTimeout as delay } from 'node:timers/promises'
import { Mailhatch } from '@mailhatch/sdk'
import { vi } from 'vitest'
import { spawnServer, type ChildServer } from '../support/child-server.ts'
import { isProperlySetAside, operatorAt } from '../support/operator.ts'
import { seededRandom, type SeededRandom } from '../support/seeded-random.ts'
import { listEverything } from '../support/stored-mail.ts'
import type { Installation, Storage } from './installations.ts'
import { compareWithStored, type Comparison } from './sent-mail.ts'
import { startMailLoad, type MailLoad } from './mail-load.ts'
import { hasOpenData } from './open-data.ts'

/** Long enough for hundreds of messages, short enough that most crashes interrupt many. */
const LIFE_MS_MAX = 1_000
/**
 * A start mostly loads modules, and opens its data in its last tenth. Half of the crashes that interrupt one come around
 * its end, between these shares of its duration.
 */
const START_END = { from: 0.9, to: 1.1 }
/** One crash in this many comes while the programs start. */
const STARTS_INTERRUPTED_ONE_IN = 5
/** Mail is accepted within milliseconds. On a busy machine it may take longer. */
const ACCEPTED_MS_MAX = 180_000
/** From one announced mail to the next: an attempt that failed is repeated after a minute at most. */
const NEXT_ANNOUNCED_MS_MAX = 90_000
const LOOK_MS = 250

/** A life in which nothing is accepted proves nothing, however busy the machine is. */
export const ACCEPTED_PER_LIFE_MIN = 5

export type CrashReport = Comparison & {
  crashesUnderLoad: number
  crashesDuringStart: number
  /** Of these, those that came when a program had opened its data or was ready. */
  crashesWithOpenData: number
  /** Mail that was in progress at three crashes, and so looked harmful. An operator's retry delivers it. */
  setAside: number
  /** Mail that was still waiting when no more was announced, and was not set aside. */
  forgotten: string[]
}

export type CrashOptions = {
  installation: Installation
  crashes: number
  connections: number
  seed: number
  /** How long to wait at the end, after the last announced mail, for another one. */
  recoveryMsMax?: number
  onCrash?: (crash: number) => void
}

/** Ends programs without warning, again and again while mail arrives, then compares accepted with stored mail. */
export async function crashUnderLoad({
  installation,
  crashes,
  connections,
  seed,
  recoveryMsMax = NEXT_ANNOUNCED_MS_MAX,
  onCrash = () => {},
}: CrashOptions): Promise<CrashReport> {
  const { programs, domain, mailBytes } = installation
  const random = seededRandom(seed)
  const running = new Map<number, ChildServer>()
  const load = startMailLoad({ domain, seed, mailBytes })
  /** How long the last start of each program took. */
  const startMs = new Map<number, number>()
  /** How much mail had been sent at each crash. */
  const sentAtCrash: number[] = []
  let crashesDuringStart = 0
  let crashesWithOpenData = 0

  function startMissing(): Map<number, ChildServer> {
    const missing = [...programs.keys()].filter((index) => !running.has(index))
    const started = new Map(missing.map((index) => [index, spawnServer(programs[index]!)]))
    for (const [index, server] of started) running.set(index, server)
    return started
  }

  async function untilReady(started: Map<number, ChildServer>): Promise<void> {
    const startedAt = performance.now()
    await Promise.all(
      Array.from(started, async ([index, { ready }]) => {
        await ready
        startMs.set(index, performance.now() - startedAt)
      }),
    )
  }

  async function interruptStart(started: Map<number, ChildServer>): Promise<void> {
    const servers = [...started.values()]
    let isReady = false
    for (const { ready } of servers) {
      void ready.then(
        () => (isReady = true),
        () => {},
      )
    }
    // Not a wait for a condition: the crash comes at a random moment.
    await delay(momentIn(Math.max(...Array.from(started.keys(), (index) => startMs.get(index)!)), random))
    crashesDuringStart++
    if (isReady || servers.some(hasOpenData)) crashesWithOpenData++
    await end(servers)
  }

  async function end(victims: ChildServer[]): Promise<void> {
    await installation.crash(victims)
    for (const [index, server] of running) if (victims.includes(server)) running.delete(index)
  }

  for (let crash = 1; crash <= crashes; crash++) {
    const started = startMissing()
    if (crash % STARTS_INTERRUPTED_ONE_IN === 0) await interruptStart(started)
    else {
      await untilReady(started)
      const { smtpPort } = running.get(installation.smtpProgram)!
      await load.during({ smtpPort, connections }, async (expectLoss) => {
        await untilAccepted(load, ACCEPTED_PER_LIFE_MIN)
        await delay(random.below(LIFE_MS_MAX))
        expectLoss()
        await end(someOf([...running.values()], random))
      })
    }
    sentAtCrash.push(load.sent.size)
    onCrash(crash)
  }

  /** With the crash that followed, so that a failure can be searched for in the log of that life. */
  function located(tags: string[]): string[] {
    return tags.map((tag) => {
      const crash = sentAtCrash.findIndex((sent) => Number(tag.slice(1)) < sent)
      return crash === -1 ? tag : `${tag}, sent before crash ${crash + 1}`
    })
  }

  await untilReady(startMissing())
  await untilAnnounced(installation.storage, recoveryMsMax)
  const operator = operatorAt(running.get(installation.smtpProgram)!.workerUrl)
  const waiting = await installation.storage.readWaiting()
  const setAside = new Set((await operator.listSetAside()).filter(isProperlySetAside).map(({ id }) => id))
  // The retry announces all mail that waits, also what the worker would never have announced.
  if (waiting.length > 0) await operator.retryAll()
  const url = running.get(installation.apiProgram)!.apiUrl
  const messages = await listEverything(new Mailhatch({ url, apiKey: installation.apiKey }))
  for (const server of running.values()) {
    const exitCode = await server.stop()
    if (exitCode !== 0) throw new Error(`A program did not stop cleanly (${exitCode}): ${server.complaints()}`)
  }
  const bucket = await installation.storage.openBucket()
  try {
    const compared = await compareWithStored(load.sent, messages, bucket)
    return {
      ...compared,
      crashesUnderLoad: crashes - crashesDuringStart,
      crashesDuringStart,
      crashesWithOpenData,
      setAside: setAside.size,
      forgotten: located(waiting.filter(({ id }) => !setAside.has(id)).map(({ id, tag }) => tag ?? id)),
      lost: located(compared.lost),
      gone: located(compared.gone),
      doubled: located(compared.doubled),
      altered: located(compared.altered),
    }
  } finally {
    await bucket.close()
  }
}

/** In half of the cases any moment of a start that takes so long, in the others one around its end. */
function momentIn(startMs: number, random: SeededRandom): number {
  if (random.chance(1 / 2)) return random.below(startMs)
  return START_END.from * startMs + random.below((START_END.to - START_END.from) * startMs)
}

/** Until this many more mails are accepted. */
export async function untilAccepted(load: MailLoad, more: number): Promise<void> {
  const before = load.acceptedCount()
  await vi.waitUntil(() => load.acceptedCount() - before >= more, { timeout: ACCEPTED_MS_MAX })
}

/** The number of crashes of which this many come under load. */
export function crashesFor(underLoad: number): number {
  return Math.ceil((underLoad * STARTS_INTERRUPTED_ONE_IN) / (STARTS_INTERRUPTED_ONE_IN - 1))
}

/** One program, or several at the same moment. */
function someOf(servers: ChildServer[], random: SeededRandom): ChildServer[] {
  const chosen = servers.filter(() => random.chance(1 / 2))
  return chosen.length > 0 ? chosen : [random.pick(servers)]
}

/** Waits as long as more mail is announced. What never is counts as lost, so this does not throw. */
export async function untilAnnounced(storage: Storage, nextMsMax = NEXT_ANNOUNCED_MS_MAX): Promise<void> {
  let least = Infinity
  let decreasedAt = 0
  for (;;) {
    const waiting = await storage.countWaiting()
    if (waiting === 0) return
    if (waiting < least) [least, decreasedAt] = [waiting, performance.now()]
    else if (performance.now() - decreasedAt >= nextMsMax) return
    await delay(LOOK_MS)
  }
}
