import { mkdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openEmbeddedBucket } from './bucket/embedded-bucket.ts'
import { openFolderBucket } from './bucket/folder-bucket.ts'
import type { Bucket } from './bucket/bucket.ts'
import type { Config } from './config.ts'
import { createLocalFeed } from './feed/feed.ts'
import { createAnswerCache } from './http/answer-cache.ts'
import { createApi } from './http/app.ts'
import { createKeyUses } from './http/key-uses.ts'
import type { Log } from './log.ts'
import { createMailParser } from './mime/mail-parser.ts'
import { newId } from './random.ts'
import { createFollowers } from './read/followers.ts'
import { createWaits } from './read/wait.ts'
import { syncFolder } from './sqlite/connection.ts'
import { lockFolder } from './sqlite/lock.ts'
import { openSqliteDatabase } from './store/sqlite-database.ts'
import { createSqlStore } from './store/sql-store.ts'
import type { Store, Team } from './store/store.ts'
import type { Post } from './worker/announce.ts'
import { createAnnouncer } from './worker/announcer.ts'
import { receive, type IncomingMail } from './worker/receive.ts'
import { createWorkerApp } from './worker/worker-app.ts'

/** Mail that should have been announced and is older than this means that something is wrong. */
const ANNOUNCEMENT_LATE_MS = 60_000

export type Api = ReturnType<typeof assembleApi>
export type Worker = Awaited<ReturnType<typeof assembleWorker>>

export function openStore(config: Config, log: Pick<Log, 'error'>): Store {
  const onTrouble = (error: unknown) => log.error({ err: error }, 'the text index could not be brought up to date')
  return createSqlStore(openSqliteDatabase(dataFile(config, 'mailhatch.db'), onTrouble))
}

/** The API and all it stands on, but for a socket. */
export function assembleApi(config: Config, log: Log, webhookSecret: string | null) {
  const lock = lockFolder(dataFile(config, 'lock.db'), 'The database')
  const store = openStore(config, log)
  const feed = createLocalFeed()
  const followers = createFollowers({ store, feed, log })
  const waits = createWaits(followers)
  const keyUses = createKeyUses(store, log)
  const answers = createAnswerCache({ store, recordKeyUse: keyUses.record })
  let isClosing = false
  let worker: Worker | null = null

  async function findTroubles(): Promise<string[]> {
    const troubles = isClosing ? ['shutting down'] : []
    await store.check().catch(() => troubles.push('the database cannot be read'))
    if (worker) troubles.push(...(await worker.findTroubles()))
    return troubles
  }

  const app = createApi({
    store,
    feed,
    waits,
    answers,
    log,
    newId,
    now: Date.now,
    rootDomain: config.rootDomain,
    catchAllTeam: () => findCatchAllTeam(store, config.catchAll),
    webhookSecret,
    allowedOrigins: config.allowedOrigins,
    recordKeyUse: keyUses.record,
    findTroubles,
  })

  return {
    fetch: app.fetch,
    answersAtOnce: answers.repeat,
    store,
    /** In the all-in-one program, being ready includes the worker. */
    include(part: Worker) {
      worker = part
    },
    /** From now on not ready, and held waits are told to ask elsewhere. */
    quiesce() {
      isClosing = true
      waits.close()
    },
    async close() {
      followers.close()
      await keyUses.close().catch((error: unknown) => log.error({ err: error }, 'the last use of keys is not written'))
      await store.close()
      lock.release()
    },
  }
}

/** The inbox worker without its sockets. Without `post` there is nobody to announce to, and mail is only stored. */
export async function assembleWorker(config: Config, log: Log, post: Post | null) {
  const lock = lockFolder(dataFile(config, 'inbox-lock.db'), 'The inbox')
  const bucket = await openBucket(config)
  const parser = createMailParser({
    onThreadDeath: (reason) => log.error({ reason }, 'a mail could not be parsed: its thread was ended'),
  })
  const announcer = post && createAnnouncer({ bucket, parser, post, now: Date.now, log })
  const ports = { bucket, parser, announcer, rootDomain: config.emailDomain, newId, now: Date.now }

  /** Where there is least room: large mail passes through the data folder on its way to the bucket. */
  async function freeBytes(): Promise<number> {
    const folders = [config.dataDir, config.storage?.path ?? config.dataDir]
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
    if ((await freeBytes()) < (await freeBytesMin())) troubles.push('the disk is full')
    const oldest = announcer?.oldestWaitingAt() ?? null
    if (oldest !== null && Date.now() - oldest > ANNOUNCEMENT_LATE_MS) troubles.push('announcements are late')
    return troubles
  }

  return {
    fetch: createWorkerApp({ findTroubles }).fetch,
    bucket,
    receive: (mail: IncomingMail) => receive(ports, mail),
    freeBytes,
    freeBytesMin,
    findTroubles,
    start: async () => announcer?.start(),
    /** Once the SMTP listener is closed, nothing new comes in. */
    async close() {
      await announcer?.close()
      await parser.close()
      await bucket.close()
      lock.release()
    },
  }
}

/** A file in the data folder, which is made for its owner's eyes only. */
export function dataFile({ dataDir }: Config, name: string): string {
  const created = mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // A new folder is as durable as its entry in the folder above.
  if (created) for (let path = dataDir; path.length >= created.length; path = dirname(path)) syncFolder(dirname(path))
  return join(dataDir, name)
}

async function openBucket(config: Config): Promise<Bucket> {
  if (config.storage?.kind === 'folder') return openFolderBucket(config.storage.path)
  return openEmbeddedBucket(dataFile(config, 'inbox.db'))
}

async function findCatchAllTeam(store: Store, catchAll: string | null): Promise<Team | null> {
  if (catchAll === null) return null
  return catchAll === 'bootstrap' ? store.findBootstrapTeam() : store.findTeam(catchAll)
}
