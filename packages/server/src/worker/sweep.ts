import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import type { RandomInt } from '../domain/random-text.ts'
import { meansUnreachable, RETRY_FOR_MS } from '../domain/retry.ts'
import { uuidTime } from '../domain/uuid.ts'
import type { Log } from '../log.ts'
import type { Report } from './announce.ts'
import type { StoredOutcome } from './announce-stored.ts'
import { findDueAt } from './due.ts'
import { decodeMetadata, refusalOf, type Metadata } from './metadata.ts'
import { removeIfRefused } from './refused-mail.ts'
import { reportSetAside } from './report-set-aside.ts'
import { keepWayTrouble } from './way-trouble-object.ts'
import { wayTrouble } from './way.ts'

/** A run ends before the next minute's, with room for the announcements that are under way. */
const RUN_MS_MAX = 25_000
/** Announcements in one run: each takes about six requests, of which Cloudflare allows a run 1,000. */
const ANNOUNCEMENTS_MAX = 100
/** Mails whose metadata is read to see whether they are due. */
const LOOKS_MAX = 200
/** Mails whose metadata is read to see whether they were refused and may go; each then takes two requests more. */
const REMOVAL_LOOKS_MAX = 20
/** The largest mails take some 20 MB each while they are parsed and posted, of the 128 MB that a worker has. */
const AT_ONCE = 4
const KEYS_PER_PAGE = 1_000
const DAY_MS = 86_400_000
/** 100,000 keys, which take about ten seconds to list. */
const PAGES_MAX = 100
/** Where the next run goes on that could not list everything: mail that was refused for good stays in the list. */
const PLACE_KEY = 'sweep/place'
/** So many failures of the kind that all mail shares, and no success: the API is away, and the next run asks again. */
const UNREACHABLE_MAX = 6
/** Mails that could not even be tried. One may be broken; when so many are, the bucket is, or requests have run out. */
const TROUBLES_MAX = 10

export type SweepPorts = {
  bucket: Pick<Bucket, 'get' | 'list' | 'move' | 'put' | 'remove'>
  /** One attempt at the mail with this metadata key. */
  announceStored: (key: string) => Promise<StoredOutcome>
  report: Report
  /** After so many days, mail that no team wants goes; null keeps it. */
  refusedMailDays: number | null
  /** How long the first announcement of a mail, which is not the sweep's, may take. */
  firstAttemptMs: number
  now: () => number
  random: RandomInt
  log: Log
}

/**
 * One run over the unprocessed mail: announces what is due and heals by itself. In random order, so that no mail can
 * stand in the way of others run after run. One success makes due what waits for its next try.
 */
export async function sweep(ports: SweepPorts): Promise<{ processed: number; failed: number }> {
  const { bucket, announceStored, firstAttemptMs, now, log } = ports
  const startedAt = now()
  const later: string[] = []
  let trouble: string | null = null
  let [looks, waiting, processed, failed, unreachable, troubles] = [0, 0, 0, 0, 0, 0]

  function mayGoOn(): boolean {
    const isAway = processed === 0 && unreachable >= UNREACHABLE_MAX
    const isUsedUp = looks >= LOOKS_MAX || processed + failed >= ANNOUNCEMENTS_MAX || troubles >= TROUBLES_MAX
    return !isAway && !isUsedUp && now() - startedAt < RUN_MS_MAX
  }

  async function drain(keys: string[], visit: (key: string) => Promise<void>): Promise<void> {
    const visitInTurn = async () => {
      for (let key = keys.pop(); key !== undefined && mayGoOn(); key = keys.pop()) {
        await visit(key).catch((error: unknown) => {
          troubles++
          log.error({ err: error, key }, 'a stored mail could not be announced')
        })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, visitInTurn))
  }

  async function announceIfDue(key: string): Promise<void> {
    looks++
    const object = await bucket.get(key)
    if (!object) return
    const metadata = decodeMetadata(await bytesOf(object))
    const isFirstUnderWay = metadata.attempts === 0 && startedAt - Date.parse(metadata.receivedAt) < firstAttemptMs
    const dueAt = findDueAt(metadata)
    if (metadata.setAside?.isReported === false) await reportSetAside(ports, metadata)
    if (dueAt === null) return
    waiting++
    if (isFirstUnderWay) return
    // What falls due while the run may last is due: the next run is a minute away.
    if (dueAt <= startedAt + RUN_MS_MAX) await announceNow(key)
    else later.push(key)
  }

  async function announceNow(key: string): Promise<void> {
    const result = await announceStored(key)
    if (result.outcome === 'processed') processed++
    if (result.outcome === 'raw gone') log.error({ key }, 'the raw mail is gone: it cannot be announced')
    if (result.outcome !== 'failed') return
    failed++
    if (result.unrecorded) {
      troubles++
      log.error({ err: result.unrecorded, key }, 'a failed announcement could not be recorded')
    }
    trouble = wayTrouble(result.metadata) ?? trouble
    if (meansUnreachable(refusalOf(result.metadata))) unreachable++
    if (result.metadata.setAside) await noteSetAside(ports, result.metadata)
  }

  const { retried, old } = await findUnprocessed(ports, startedAt)
  await drain(shuffle(retried, ports.random), announceIfDue)
  if (processed > 0) await drain(later, announceNow)
  if (processed > 0 || waiting === 0) await keepWayTrouble(bucket, null, log)
  else if (failed > 0) await keepWayTrouble(bucket, trouble, log)
  await removeRefused(ports, shuffle(old, ports.random))
  if (processed + failed > 0) log.info({ processed, failed }, 'unprocessed mail was announced again')
  return { processed, failed }
}

async function noteSetAside(ports: SweepPorts, metadata: Metadata): Promise<void> {
  const { id, setAside } = metadata
  ports.log.error({ id, reason: setAside?.reason }, 'a mail was set aside: it is announced again only by hand')
  await reportSetAside(ports, metadata)
}

/** In random order, too, so that each has its turn although a run looks at a few. */
async function removeRefused({ bucket, refusedMailDays: days, now, log }: SweepPorts, keys: string[]): Promise<void> {
  let removed = 0
  for (const key of keys.slice(0, REMOVAL_LOOKS_MAX)) {
    try {
      if (await removeIfRefused({ bucket, days, now }, key)) removed++
    } catch (error) {
      log.error({ err: error, key }, 'refused mail could not be removed')
    }
  }
  if (removed > 0) log.info({ removed, days }, 'refused mail was removed')
}

/** Keys of unprocessed mail: what is not too old to be repeated, and what is old enough to be removed if it was refused. */
async function findUnprocessed(ports: SweepPorts, startedAt: number): Promise<{ retried: string[]; old: string[] }> {
  const { bucket, refusedMailDays, log } = ports
  const keepMs = refusedMailDays === null ? Infinity : refusedMailDays * DAY_MS
  const found = { retried: [] as string[], old: [] as string[] }
  const place = await bucket.get(PLACE_KEY)
  let cursor = place ? new TextDecoder().decode(await bytesOf(place)) : undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const { keys, cursor: next } = await bucket.list({
      prefix: metadataPrefix('unprocessed'),
      cursor,
      limit: KEYS_PER_PAGE,
    })
    for (const key of keys) {
      const message = parseMetadataKey(key)
      if (!message) continue
      // Its id tells how old it is, without a look at it.
      const ageMs = startedAt - uuidTime(message.id)
      if (ageMs <= RETRY_FOR_MS) found.retried.push(key)
      if (ageMs >= keepMs) found.old.push(key)
    }
    if (next === null) {
      if (place) await bucket.remove([PLACE_KEY])
      return found
    }
    cursor = next
  }
  log.warn({ keys: PAGES_MAX * KEYS_PER_PAGE }, 'there is more unprocessed mail than a run can list')
  await bucket.put([{ key: PLACE_KEY, body: new TextEncoder().encode(cursor) }])
  return found
}

function shuffle(keys: string[], random: RandomInt): string[] {
  for (let last = keys.length - 1; last > 0; last--) {
    const other = random(last + 1)
    const moved = keys[last]!
    keys[last] = keys[other]!
    keys[other] = moved
  }
  return keys
}
