import { hash } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Inbox } from './assemble.ts'
import { bytesOf, type StoredObject } from './bucket/bucket.ts'
import type { Config } from './config.ts'
import type { OwnMail } from './http/rpc/ports.ts'
import type { Log } from './log.ts'
import { meteredBucket, meteredParser } from './metered.ts'
import type { Meters } from './meters.ts'
import { createMailParser } from './mime/mail-parser.ts'
import { TOO_MUCH_TO_DO, type Overload } from './overload.ts'
import { newId } from './random.ts'
import type { Post, Report } from './worker/announce.ts'
import { createAnnouncer } from './worker/announcer.ts'
import { RECEIVING_MS_MAX } from './worker/raw-search.ts'
import { startRawSearch } from './worker/raw-search-loop.ts'
import { receive } from './worker/receive.ts'
import type { ReceivedMail } from './worker/smtp/deliver.ts'
import { spooledMail } from './worker/smtp/spooled-mail.ts'
import { createUnrouted } from './worker/unrouted.ts'
import { createWorkerApp } from './worker/worker-app.ts'

/** Mail that should have been announced and is older than this means that something is wrong. */
const ANNOUNCEMENT_LATE_MS = 60_000

export type Worker = ReturnType<typeof assembleWorker>

export type WorkerParts = {
  inbox: Inbox
  way: { post: Post; report: Report } | null
  meters: Meters | null
  overload: Pick<Overload, 'isOverloaded'>
  now: () => number
}

/** The inbox worker without its sockets. Without `way` there is nobody to announce to, and mail is only stored. */
export function assembleWorker(config: Config, log: Log, { inbox, way, meters, overload, now }: WorkerParts) {
  const bucket = meteredBucket(inbox.bucket, meters)
  const onThreadDeath = (reason: Error) => log.error({ reason }, 'a mail could not be parsed: its thread was ended')
  const parser = meteredParser(createMailParser({ onThreadDeath }), meters)
  const { refusedMailDays } = config
  // No two programs hold one data folder at once.
  const by = hash('sha256', `${hostname()}:${config.dataDir}`).slice(0, 16)
  const announcer = way && createAnnouncer({ bucket, parser, ...way, by, refusedMailDays, meters, now, log })
  const ports = { bucket, announcer, rootDomain: config.emailDomain, newId, now }

  const startedAt = now()
  const parse = async (raw: StoredObject) => parser.parse(await bytesOf(raw))
  let rawSearch: { close(): Promise<void> } | null = null

  /** Only this program puts into a bucket on this machine: what came before its start is not on its way any more. */
  function settledBefore(): number {
    return Math.max(now() - RECEIVING_MS_MAX, config.storage?.kind === 's3' ? 0 : startedAt)
  }

  /** Where there is least room: large mail passes through the data folder on its way to the bucket. */
  async function freeBytes(): Promise<number> {
    const folders = [config.dataDir, config.storage?.kind === 'folder' ? config.storage.path : config.dataDir]
    const disks = await Promise.all(folders.map((folder) => statfs(folder)))
    return Math.min(...disks.map(({ bavail, bsize }) => bavail * bsize))
  }

  /** Room for two mails of the largest size at least, and 5 % of the disk, though never more than 1 GiB. */
  async function freeBytesMin(): Promise<number> {
    const disk = await statfs(config.dataDir)
    const share = Math.min(disk.blocks * disk.bsize * 0.05, 1024 ** 3)
    return config.diskFreeMinBytes ?? Math.max(2 * config.smtpMaxSizeBytes, share)
  }

  async function findTroubles(): Promise<string[]> {
    const troubles: string[] = []
    const isDiskFull = (await freeBytes()) < (await freeBytesMin())
    if (isDiskFull) troubles.push('the disk is full')
    const wayTrouble = announcer?.wayTrouble() ?? null
    if (wayTrouble !== null) troubles.push(wayTrouble)
    const waitingMs = now() - (announcer?.oldestWaitingAt() ?? now())
    if (waitingMs > ANNOUNCEMENT_LATE_MS || (isDiskFull && waitingMs > 0)) troubles.push(describeLate(waitingMs))
    if (overload.isOverloaded()) troubles.push(TOO_MUCH_TO_DO)
    return troubles
  }

  function describeLate(waitingMs: number): string {
    const count = announcer?.waitingCount() ?? 0
    const mails = count === 1 ? '1 mail is' : `${count} mails are`
    return `announcements are late: ${mails} accepted and not visible yet, the oldest for ${Math.round(waitingMs / 1000)} s`
  }

  meters?.watch('mailhatch_announcements_waiting', 'Mails that are stored and still to be announced.', () =>
    announcer ? announcer.waitingCount() : 0,
  )
  meters?.watch('mailhatch_announcements_oldest_seconds', 'Age of the oldest of them; 0 when there is none.', () => {
    const oldest = announcer?.oldestWaitingAt() ?? null
    return oldest === null ? 0 : (now() - oldest) / 1000
  })
  meters?.watch('mailhatch_announcements_not_reaching', '1 while announcements do not reach the API, else 0.', () =>
    Number((announcer?.wayTrouble() ?? null) !== null),
  )
  meters?.watch('mailhatch_mails_set_aside', 'Mails set aside, of those this worker knows.', () =>
    announcer ? announcer.setAsideCount() : 0,
  )
  meters?.watch('mailhatch_disk_free_bytes', 'Free disk space in bytes, on the fullest of the disks in use.', freeBytes)

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
    findTroubles,
    now,
    log,
  })

  return {
    fetch: app.fetch,
    bucket,
    unrouted: createUnrouted({ bucket, announceNow: announcer && announcer.announceNow }),
    receive: (mail: ReceivedMail) => receive(ports, spooledMail(parser, mail)),
    /** Mail of this program itself. */
    receiveOwn: ({ from, recipient, content }: OwnMail) =>
      receive(ports, {
        recipients: [recipient],
        envelope: { mailFrom: from, helo: null, remoteAddress: null, tls: false, receivedVia: 'sample' },
        raw: content,
        parse: () => parser.parse(content),
      }),
    freeBytes,
    freeBytesMin,
    findTroubles,
    async start() {
      if (!announcer) return
      await announcer.start()
      rawSearch = startRawSearch({ bucket, parse, announcer, rootDomain: config.emailDomain, settledBefore, log })
    },
    /** Once the SMTP listener is closed, nothing new comes in. */
    async stop() {
      await rawSearch?.close()
      await announcer?.close()
      await parser.close()
    },
  }
}
