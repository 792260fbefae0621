import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { announcement, post } from '../support/announce.ts'
import { TEAM } from './many-messages.ts'

/** Posts that are under way all the time. */
const AT_ONCE = 4
/** Of the mail that is announced again, to any server. */
const REPEATED_EVERY = 5
const RETRY_MS = 20

export type Traffic = {
  /** Where mail is posted from now on. */
  servers: string[]
  /** What was answered to each announcement, by id. */
  stored: Map<string, string[]>
  /** The longest time until an announcement was taken, by the name of the phase in which it began. */
  stallsMs: Record<string, number>
  failures: Record<string, number>
  begin(phase: string): void
  stop(): Promise<void>
}

/** Announces mail all the time, and retries as the worker does. */
export function startTraffic(servers: string[]): Traffic {
  let phase = ''
  let isOver = false
  let count = 0

  async function announceUntilTaken(id: string): Promise<void> {
    const startedIn = phase
    const started = performance.now()
    for (;;) {
      const url = traffic.servers[count++ % traffic.servers.length]!
      const answer = await post(url, announcement({ id, domain: TEAM.domain, mailbox: 'qa' })).catch(() => null)
      if (answer?.status === 200) {
        traffic.stored.set(id, [...(traffic.stored.get(id) ?? []), answer.body.status])
        break
      }
      traffic.failures[startedIn] = (traffic.failures[startedIn] ?? 0) + 1
      await pause(RETRY_MS)
    }
    traffic.stallsMs[startedIn] = Math.max(traffic.stallsMs[startedIn] ?? 0, Math.round(performance.now() - started))
  }

  async function announceSome(): Promise<void> {
    while (!isOver) {
      const id = randomUUID()
      await announceUntilTaken(id)
      if (count % REPEATED_EVERY === 0) await announceUntilTaken(id)
    }
  }

  const traffic: Traffic = {
    servers,
    stored: new Map(),
    stallsMs: {},
    failures: {},
    begin: (name) => void (phase = name),
    async stop() {
      isOver = true
      await running
    },
  }
  const running = Promise.all(Array.from({ length: AT_ONCE }, announceSome))
  return traffic
}
