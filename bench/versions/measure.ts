import { randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Fleet } from '../replicas/fleet.ts'
import { announce, announcement, announcing, CONNECTIONS, load, measureWakesOf } from '../replicas/measure.ts'
import { perSecond } from '../statistics.ts'
import { FRESH_DIGITS, freshDigits } from '../tasks/fresh-digits.ts'
import { getRequest } from '../tasks/http-client.ts'
import { runHttpLoad } from '../tasks/http-load.ts'

export const MESSAGES = 10_000
const MAILBOXES = 100
const FILLING = 16
const WAKES = 100

/** Resolves with a rate per second. */
type Measure = (fleet: Fleet, durationMs: number) => Promise<number>

/** The connections share one order of numbers, so they do not ask for the same message at once. */
function requestRate(path: string, freshBelow = MESSAGES): Measure {
  return async ({ ports, key }, durationMs) => {
    const request = getRequest(path, key)
    const options = { port: ports[0]!, connections: CONNECTIONS, request, freshBelow, durationMs }
    const { answers, elapsedMs } = await runHttpLoad(options)
    return perSecond(answers, elapsedMs)
  }
}

/** Of one process on a database. They run in this order. */
export const MEASURES = {
  'latest by tag': requestRate(`/v1/messages/latest?tag=t${FRESH_DIGITS}`),
  'latest by mailbox': requestRate(`/v1/messages/latest?mailbox=m${FRESH_DIGITS}`, MAILBOXES),
  'list of a mailbox': requestRate(`/v1/messages?mailbox=m${FRESH_DIGITS}&limit=50`, MAILBOXES),
  'list of a tag': requestRate(`/v1/messages?tag=t${FRESH_DIGITS}`),
  'search for a word': requestRate(`/v1/messages?q=token${FRESH_DIGITS}`),
  'waking up': async (fleet) => {
    const { p50 } = await measureWakesOf(fleet, WAKES)
    return 1_000 / p50
  },
  // Last, because it makes the store larger.
  intake: (fleet, durationMs) =>
    load(fleet, durationMs, (connection) => announcing(fleet.domains[1 + (connection % 4)]!)),
} satisfies Record<string, Measure>

/** One message for each tag, in turn for each mailbox, with a word of its own. */
export async function fill({ ports, domains }: Fleet): Promise<void> {
  const [domain] = domains
  let next = 0
  async function announceNext(): Promise<void> {
    while (next < MESSAGES) {
      const number = next++
      const tag = `t${freshDigits(number)}`
      const mailbox = `m${freshDigits(number % MAILBOXES)}`
      const announced = announcement(domain!, { id: randomUUID(), tag, mailbox })
      announced.plainContent += ` token${freshDigits(number)}`
      await announce(ports[0]!, announced)
    }
  }
  await Promise.all(Array.from({ length: FILLING }, announceNext))
}

/** Of the whole store. */
export async function bytesPerMessage({ dataDir }: Fleet, databaseUrl: string | null): Promise<number> {
  return (databaseUrl === null ? bytesIn(dataDir) : await bytesOf(databaseUrl)) / MESSAGES
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.endsWith('.db'))
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

async function bytesOf(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  await client.end()
  return Number(rows[0]!.bytes)
}
