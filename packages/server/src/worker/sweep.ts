import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import type { RandomInt } from '../domain/random-text.ts'
import { meansUnreachable, RETRY_FOR_MS } from '../domain/retry.ts'
import { uuidTime } from '../domain/uuid.ts'
import type { Log } from '../observe/log.ts'
import type { Report } from './announce.ts'
import type { StoredOutcome } from './announce-stored.ts'
import { findDueAt, isSuspect } from './due.ts'
import { decodeMetadata, refusalOf, type Metadata } from './metadata.ts'
import { removeIfRefused } from './refused-mail.ts'
import { reportSetAside } from './report-set-aside.ts'
import { saveReachabilityProblem } from './reachability-object.ts'
import { reachabilityProblem } from './reachability.ts'

/** A run ends before the next minute's run, with time left for the announcements in flight. */
const RUN_MS_MAX = 25_000
/** Announcements per run. Each takes about six of the 1,000 requests that Cloudflare allows a run. */
const ANNOUNCEMENTS_MAX = 100
/** Mails whose metadata is read to see whether they are due. */
const READS_MAX = 200
/** Mails whose metadata is read to see whether they can be deleted; each deletion takes two more requests. */
const REMOVAL_READS_MAX = 20
/** The largest messages take about 20 MB each to parse and post, of the 128 MB that a worker has. */
const AT_ONCE = 4
const KEYS_PER_PAGE = 1_000
const DAY_MS = 86_400_000
/** 100,000 keys, which take about ten seconds to list. */
const PAGES_MAX = 100
/** Where the next run continues if this one could not list everything. Permanently refused mail stays in the list. */
const POSITION_KEY = 'sweep/place'
/** After this many failures that affect all mail and no success, the API is unreachable. The next run retries. */
const UNREACHABLE_MAX = 6
/** Errors before an attempt. One mail may be broken; this many mean a broken bucket, or no requests left. */
const ERRORS_MAX = 10

export type SweepPorts = {
  bucket: Pick<Bucket, 'get' | 'list' | 'move' | 'put' | 'remove'>
  /** Makes one attempt for the mail with this metadata key. */
  announceStored: (key: string) => Promise<StoredOutcome>
  report: Report
  /** Days after which mail without a team is deleted; null keeps it. */
  refusedMailDays: number | null
  /** How long the first attempt may take. It belongs to the email handler, not to the sweep. */
  firstAttemptMs: number
  now: () => number
  random: RandomInt
  log: Log
}

/**
 * One run over the unprocessed mail: announces what is due and can still succeed. The order is random, so that no mail
 * blocks others run after run. One success makes all waiting mail due.
 */
export async function sweep(ports: SweepPorts): Promise<{ processed: number; failed: number }> {
  const { bucket, announceStored, firstAttemptMs, now, log } = ports
  const startedAt = now()
  const later: string[] = []
  const suspects: string[] = []
  let problem: string | null = null
  let [reads, waiting, processed, failed, unreachable, errors] = [0, 0, 0, 0, 0, 0]

  function canContinue(): boolean {
    const isApiUnreachable = processed === 0 && unreachable >= UNREACHABLE_MAX
    const isLimitReached = processed + failed >= ANNOUNCEMENTS_MAX || errors >= ERRORS_MAX
    return !isApiUnreachable && !isLimitReached && now() - startedAt < RUN_MS_MAX
  }

  async function drain(keys: string[], visit: (key: string) => Promise<void>, atOnce = AT_ONCE): Promise<void> {
    const visitNext = async () => {
      for (let key = keys.pop(); key !== undefined && canContinue(); key = keys.pop()) {
        await visit(key).catch((error: unknown) => {
          errors++
          log.error({ err: error, key }, 'announcing a stored mail failed')
        })
      }
    }
    await Promise.all(Array.from({ length: atOnce }, visitNext))
  }

  async function announceIfDue(key: string): Promise<void> {
    if (++reads > READS_MAX) return
    const object = await bucket.get(key)
    if (!object) return
    const metadata = decodeMetadata(await bytesOf(object))
    const isFirstAttemptRunning =
      metadata.attempts === 0 && startedAt - Date.parse(metadata.receivedAt) < firstAttemptMs
    const dueAt = findDueAt(metadata)
    if (metadata.setAside?.isReported === false) await reportSetAside(ports, metadata)
    if (dueAt === null) return
    waiting++
    if (isFirstAttemptRunning) return
    // The next run is a minute away, so mail that becomes due during this run is announced now.
    const isDue = dueAt <= startedAt + RUN_MS_MAX
    if (isSuspect(metadata)) {
      if (isDue) suspects.push(key)
    } else if (isDue) await announceNow(key)
    else later.push(key)
  }

  async function announceNow(key: string): Promise<void> {
    const result = await announceStored(key)
    if (result.outcome === 'processed') processed++
    if (result.outcome === 'raw gone')
      log.error({ key }, 'a mail cannot be announced because its raw object is missing')
    if (result.outcome !== 'failed') return
    failed++
    if (result.unrecorded) {
      errors++
      log.error({ err: result.unrecorded, key }, 'a failed announcement could not be recorded')
    }
    problem = reachabilityProblem(result.metadata) ?? problem
    if (meansUnreachable(refusalOf(result.metadata))) unreachable++
    if (result.metadata.setAside) await noteSetAside(ports, result.metadata)
  }

  const { retried, old } = await findUnprocessed(ports, startedAt)
  await drain(shuffle(retried, ports.random), announceIfDue)
  if (processed > 0) await drain(later, announceNow)
  // One at a time, so that mail that crashes the API takes no other along.
  await drain(suspects, announceNow, 1)
  if (processed > 0 || waiting === 0) await saveReachabilityProblem(bucket, null, log)
  else if (failed > 0) await saveReachabilityProblem(bucket, problem, log)
  await removeRefused(ports, shuffle(old, ports.random))
  if (processed + failed > 0) log.info({ processed, failed }, 'retried unprocessed mail')
  return { processed, failed }
}

async function noteSetAside(ports: SweepPorts, metadata: Metadata): Promise<void> {
  const { id, setAside } = metadata
  ports.log.error({ id, reason: setAside?.reason }, 'a mail was set aside and must be retried by an operator')
  await reportSetAside(ports, metadata)
}

/** In random order too: a run looks at only a few, and every mail must be reached eventually. */
async function removeRefused({ bucket, refusedMailDays: days, now, log }: SweepPorts, keys: string[]): Promise<void> {
  let removed = 0
  for (const key of keys.slice(0, REMOVAL_READS_MAX)) {
    try {
      if (await removeIfRefused({ bucket, days, now }, key)) removed++
    } catch (error) {
      log.error({ err: error, key }, 'deleting refused mail failed')
    }
  }
  if (removed > 0) log.info({ removed, days }, 'deleted refused mail')
}

/** Keys of unprocessed mail: those recent enough to retry, and those old enough to delete if the API refused them. */
async function findUnprocessed(ports: SweepPorts, startedAt: number): Promise<{ retried: string[]; old: string[] }> {
  const { bucket, refusedMailDays, log } = ports
  const keepMs = refusedMailDays === null ? Infinity : refusedMailDays * DAY_MS
  const found = { retried: [] as string[], old: [] as string[] }
  const position = await bucket.get(POSITION_KEY)
  let cursor = position ? new TextDecoder().decode(await bytesOf(position)) : undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const { keys, cursor: next } = await bucket.list({
      prefix: metadataPrefix('unprocessed'),
      cursor,
      limit: KEYS_PER_PAGE,
    })
    for (const key of keys) {
      const message = parseMetadataKey(key)
      if (!message) continue
      // The id contains the time, so the metadata need not be read.
      const ageMs = startedAt - uuidTime(message.id)
      if (ageMs <= RETRY_FOR_MS) found.retried.push(key)
      if (ageMs >= keepMs) found.old.push(key)
    }
    if (next === null) {
      if (position) await bucket.remove([POSITION_KEY])
      return found
    }
    cursor = next
  }
  log.warn({ keys: PAGES_MAX * KEYS_PER_PAGE }, 'more unprocessed mail than one run can list')
  await bucket.put([{ key: POSITION_KEY, body: new TextEncoder().encode(cursor) }])
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
