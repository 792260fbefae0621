import { hash } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { bytesOf, type StoredObject } from '../bucket/bucket.ts'
import { AppError } from '../domain/errors.ts'
import type { AddressRange, TransitAnswer } from '../domain/transit.ts'
import { admitSent } from './admit-sent.ts'
import type { Config } from './config.ts'
import type { OwnMail } from '../http/local-worker.ts'
import type { Log } from '../observe/log.ts'
import { readFreeBytesMin } from './free-bytes-min.ts'
import { meteredBucket, meteredParser, meteredPost } from './metered.ts'
import type { Meters } from '../observe/meters.ts'
import type { Tracing } from '../observe/tracing.ts'
import { createMailParser } from '../mime/mail-parser.ts'
import { OVERLOADED, type Overload } from '../observe/overload.ts'
import type { LockedBucket } from './open-bucket.ts'
import { newId } from '../random.ts'
import { tracedPost, tracedReceive } from './traced.ts'
import type { Post, Report } from '../worker/announce.ts'
import { createAnnouncer } from '../worker/announcer.ts'
import { createAttemptQueue, type AttemptSender } from '../worker/attempt-queue.ts'
import { RECEIVING_MS_MAX } from '../worker/raw-search.ts'
import { startRawSearch } from '../worker/raw-search-loop.ts'
import { createOtherMail } from '../worker/other-mail.ts'
import { receive } from '../worker/receive.ts'
import type { ReceivedMail } from '../worker/smtp/deliver.ts'
import { spooledMail } from '../worker/smtp/spooled-mail.ts'
import { createScripts, type ScriptSource } from '../worker/scripts.ts'
import { Transit } from '../worker/transit.ts'
import { createUnrouted } from '../worker/unrouted.ts'
import { createWorkerApp } from '../worker/worker-app.ts'

/** Readiness fails when mail has waited this long for its announcement. */
const ANNOUNCEMENT_LATE_MS = 60_000
/**
 * After a run that was cut off, how long all mail is parsed in threads. A mail that crashed the parser was not accepted yet,
 * so its sender sends it again: mail servers within hours.
 */
const CAREFUL_MS = 24 * 3_600_000

export type Worker = ReturnType<typeof assembleWorker>

export type WorkerParts = {
  inbox: LockedBucket
  api: { post: Post; report: Report } | null
  /** Null if no API is known; so is `attemptSender`. */
  scripts: ScriptSource | null
  attemptSender: AttemptSender | null
  unclaimedNotice: string
  meters: Meters | null
  tracing: Tracing | null
  overload: Pick<Overload, 'isOverloaded'>
  /** Whether the run before was cut off, maybe by a mail. */
  wasCutOff: boolean
  /** Called before each mail. */
  onMail: () => void
  now: () => number
}

/** The inbox worker without its sockets. Without `api`, mail is only stored. */
export function assembleWorker(config: Config, log: Log, parts: WorkerParts) {
  const { inbox, api, scripts, attemptSender, unclaimedNotice, meters, tracing, overload, wasCutOff, onMail, now } =
    parts
  const startedAt = now()
  const bucket = meteredBucket(inbox.bucket, meters)
  const onThreadDeath = (reason: Error) => log.error({ reason }, 'parsing a mail failed, its thread was terminated')
  const isCareful = () => wasCutOff && now() - startedAt < CAREFUL_MS
  const parser = meteredParser(createMailParser({ onThreadDeath, isCareful }), meters)
  const { refusedMailDays } = config
  const announcer =
    api &&
    createAnnouncer({
      bucket,
      parser,
      ...api,
      post: tracedPost(meteredPost(api.post, meters, now), tracing),
      by: workerId(config),
      wasCutOff,
      refusedMailDays,
      unclaimedNotice,
      meters,
      now,
      log,
    })
  const onDropped = (count: number) => meters?.attemptsDropped(count)
  const attempts = attemptSender && createAttemptQueue({ sender: attemptSender, newId, now, onDropped, log })
  const ports = { bucket, announcer, rootDomain: config.emailDomain, newId, now }
  const take = tracedReceive(receive, tracing)
  const transit = new Transit()

  const parse = async (raw: StoredObject) => parser.parse(await bytesOf(raw))
  let rawSearch: { close(): Promise<void> } | null = null

  /** Only this process writes to a local bucket, so mail from before its start is not being received any more. */
  function settledBefore(): number {
    return Math.max(now() - RECEIVING_MS_MAX, config.storage?.kind === 's3' ? 0 : startedAt)
  }

  /** The smallest free space: large mail passes through the data folder on its way to the bucket. */
  async function freeBytes(): Promise<number> {
    const folders = [config.dataDir, config.storage?.kind === 'folder' ? config.storage.path : config.dataDir]
    const disks = await Promise.all(folders.map((folder) => statfs(folder)))
    return Math.min(...disks.map(({ bavail, bsize }) => bavail * bsize))
  }

  const freeBytesMin = () => readFreeBytesMin(config)

  const isDiskFull = async () => (await freeBytes()) < (await freeBytesMin())

  async function findProblems(): Promise<string[]> {
    const problems: string[] = []
    const isFull = await isDiskFull()
    if (isFull) problems.push('the disk is full')
    const reachabilityProblem = announcer?.reachabilityProblem() ?? null
    if (reachabilityProblem !== null) problems.push(reachabilityProblem)
    const waitingMs = now() - (announcer?.oldestWaitingAt() ?? now())
    if (waitingMs > ANNOUNCEMENT_LATE_MS || (isFull && waitingMs > 0)) problems.push(describeLate(waitingMs))
    if (overload.isOverloaded()) problems.push(OVERLOADED)
    return problems
  }

  function describeLate(waitingMs: number): string {
    const count = announcer?.waitingCount() ?? 0
    const messages = count === 1 ? '1 message is' : `${count} messages are`
    return `announcements are late: ${messages} accepted and not visible yet, the oldest for ${Math.round(waitingMs / 1000)} s`
  }

  meters?.watch('mailhatch_announcements_waiting', () => announcer?.waitingCount() ?? 0)
  meters?.watch(
    'mailhatch_announcements_oldest_seconds',
    () => (now() - (announcer?.oldestWaitingAt() ?? now())) / 1000,
  )
  meters?.watch('mailhatch_announcements_not_reaching', () =>
    Number((announcer?.reachabilityProblem() ?? null) !== null),
  )
  meters?.watch('mailhatch_set_aside_mails', () => announcer?.setAsideCount() ?? 0)
  meters?.watch('mailhatch_disk_free_bytes', freeBytes)

  const app = createWorkerApp({
    meters,
    bucket,
    parse,
    announceNow: announcer && announcer.announceNow,
    settings: {
      adminToken: config.adminToken,
      emailDomain: config.emailDomain,
      workerName: config.workerName,
      zoneId: config.cloudflareZoneId,
      apiToken: config.cloudflareApiToken,
      apiUrl: config.cloudflareApiUrl,
    },
    findProblems,
    now,
    log,
  })

  return {
    fetch: app.fetch,
    bucket,
    scripts: scripts && createScripts(scripts, log),
    attempts,
    unrouted: createUnrouted({
      bucket,
      announceNow: announcer && announcer.announceNow,
      others: announcer && announcer.unrouted,
    }),
    others:
      announcer &&
      createOtherMail({ bucket, index: announcer.unrouted, parse, announceNow: announcer.announceNow, now }),
    receive(mail: ReceivedMail) {
      onMail()
      return take(ports, spooledMail(parser, mail))
    },
    /** Mail that does not come by SMTP: samples, and what clients send through Mailpit's API. */
    async receiveOwn(mail: OwnMail) {
      const { from, recipients, content, ...via } = mail
      if (mail.receivedVia === 'compat') admitSent(config, mail)
      if (await isDiskFull()) throw new AppError('storage_full', 'The disk of the server has no room for more mail.')
      const flight = transit.begin()
      for (const recipient of recipients) flight.add(recipient)
      return take(ports, {
        recipients,
        envelope: { mailFrom: from, helo: null, remoteAddress: null, tls: false, ...via },
        raw: content,
        parse: () => parser.parse(content),
      }).finally(() => flight.end())
    },
    transit,
    /** The mail for these addresses that is not a message yet. */
    onItsWay: (range: AddressRange): TransitAnswer => ({
      transactions: transit.counts.of(range),
      ...(announcer?.onItsWay(range) ?? { waiting: 0, announcing: 0, setAside: 0, isComplete: true }),
    }),
    caughtUp: async (withinMs: number, ids?: string[]) => announcer?.caughtUp(withinMs, ids),
    /** Whether no mail is left that the API does not have. */
    isEmpty: () => transit.counts.isEmpty && announcer !== null && announcer.isEmpty(),
    freeBytes,
    freeBytesMin,
    findProblems,
    async start() {
      if (!announcer) return
      await announcer.start()
      rawSearch = startRawSearch({ bucket, parse, announcer, rootDomain: config.emailDomain, settledBefore, log })
    },
    /** Call after the SMTP listener is closed, so that no new mail arrives. */
    async stop() {
      await rawSearch?.close()
      await announcer?.close()
      await attempts?.close()
      await parser.close()
    },
  }
}

/** The lock on the data folder makes it unique, and it is the same after a restart. */
export function workerId({ dataDir }: Pick<Config, 'dataDir'>): string {
  return hash('sha256', `${hostname()}:${dataDir}`).slice(0, 16)
}
