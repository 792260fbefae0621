import { setTimeout as delay } from 'node:timers/promises'
import { Mailhatch } from '@mailhatch/sdk'
import { vi } from 'vitest'
import { ask } from '../support/ask.ts'
import { spawnServer, type ChildServer } from '../support/child-server.ts'
import { seededRandom, type SeededRandom } from '../support/seeded-random.ts'
import { listEverything } from '../support/stored-mail.ts'
import { ADMIN_TOKEN, type Installation, type Storage } from './installations.ts'
import { compareWithStored, type Comparison } from './sent-mail.ts'
import { startMailLoad, type MailLoad } from './mail-load.ts'

/** Long enough for hundreds of messages, short enough that most crashes interrupt many. */
const LIFE_MS_MAX = 1_000
/** About as long as a start, so that a crash can interrupt any part of it. */
const START_MS_MAX = 500
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
  /** Mail that was in progress at three crashes, and so looked harmful. An operator's retry delivers it. */
  setAside: number
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
  let crashesDuringStart = 0

  function startMissing(): ChildServer[] {
    const missing = [...programs.keys()].filter((index) => !running.has(index))
    return missing.map((index) => {
      const server = spawnServer(programs[index]!)
      running.set(index, server)
      return server
    })
  }

  async function end(victims: ChildServer[]): Promise<void> {
    await installation.crash(victims)
    for (const [index, server] of running) if (victims.includes(server)) running.delete(index)
  }

  for (let crash = 1; crash <= crashes; crash++) {
    const started = startMissing()
    if (crash % STARTS_INTERRUPTED_ONE_IN === 0) {
      crashesDuringStart++
      // Not a wait for a condition: the crash comes at a random moment.
      await delay(random.below(START_MS_MAX))
      await end(started)
    } else {
      await Promise.all(started.map(({ ready }) => ready))
      const { smtpPort } = running.get(installation.smtpProgram)!
      await load.during({ smtpPort, connections }, async (expectLoss) => {
        await untilAccepted(load, ACCEPTED_PER_LIFE_MIN)
        await delay(random.below(LIFE_MS_MAX))
        expectLoss()
        await end(someOf([...running.values()], random))
      })
    }
    onCrash(crash)
  }

  await Promise.all(startMissing().map(({ ready }) => ready))
  await untilAnnounced(installation.storage, recoveryMsMax)
  const setAside = await installation.storage.countWaiting()
  if (setAside > 0) await retryAll(running.get(installation.smtpProgram)!)
  const url = running.get(installation.apiProgram)!.apiUrl
  const messages = await listEverything(new Mailhatch({ url, apiKey: installation.apiKey }))
  for (const server of running.values()) {
    const exitCode = await server.stop()
    if (exitCode !== 0) throw new Error(`A program did not stop cleanly (${exitCode}): ${server.complaints()}`)
  }
  const bucket = await installation.storage.openBucket()
  try {
    return {
      crashesUnderLoad: crashes - crashesDuringStart,
      crashesDuringStart,
      setAside,
      ...(await compareWithStored(load.sent, messages, bucket)),
    }
  } finally {
    await bucket.close()
  }
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

/** As an operator does. What is still not announced counts as lost. */
async function retryAll({ workerUrl }: ChildServer): Promise<void> {
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const answer = await ask<{ cursor?: string }>(`${workerUrl}/admin/webhook/retry${query}`, {
      key: ADMIN_TOKEN,
      method: 'POST',
    })
    if (answer.status !== 200) throw new Error(`The retry was refused: ${JSON.stringify(answer.body)}`)
    cursor = answer.body.cursor
  } while (cursor !== undefined)
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
