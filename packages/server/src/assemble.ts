import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assembleAccounts, openMailer } from './assemble-accounts.ts'
import { assembleWebhooks } from './assemble-webhooks.ts'
import type { Worker } from './assemble-worker.ts'
import { openEmbeddedBucket } from './bucket/embedded-bucket.ts'
import { openFolderBucket } from './bucket/folder-bucket.ts'
import type { Bucket } from './bucket/bucket.ts'
import { openS3Bucket } from './bucket/s3-bucket.ts'
import type { S3Location } from './bucket/s3-location.ts'
import { objectsIn, type MessageObjects } from './bucket/message-objects.ts'
import { remoteObjects } from './bucket/remote-objects.ts'
import type { Config } from './config.ts'
import { createLocalFeed } from './feed/feed.ts'
import { createPostgresFeed, type SharedFeed } from './feed/postgres-feed.ts'
import { createAnswerCache } from './http/answer-cache.ts'
import { createApi } from './http/app.ts'
import { hashApiKey } from './http/authenticate.ts'
import { underBasePath } from './http/base-path.ts'
import { createKeyUses } from './http/key-uses.ts'
import { createRateLimit } from './http/rate-limit.ts'
import { shedHeld } from './http/shedding.ts'
import { COME_BACK_FRAME, messageFrame, PING_FRAME } from './http/sse-frames.ts'
import type { Log } from './log.ts'
import { meteredTakeIn } from './metered.ts'
import type { Meters } from './meters.ts'
import { openBilling } from './manage/billing.ts'
import { createMetrics } from './manage/metrics.ts'
import { createRejections } from './manage/rejections.ts'
import { txtRecords } from './manage/txt-records.ts'
import { createMailParser } from './mime/mail-parser.ts'
import { OVERLOADED, type Overload } from './overload.ts'
import { createKeyFile, KEY_FILE } from './key-file.ts'
import { newId, newSecret, secureRandom } from './random.ts'
import { createTakeIn } from './intake/take-in.ts'
import { createContents } from './read/content.ts'
import { createParking } from './read/parked-bytes.ts'
import { createFollowers } from './read/followers.ts'
import { createStreams } from './read/streams.ts'
import { createSubscriptions } from './read/subscriptions.ts'
import { createWaits } from './read/wait.ts'
import { startSweep } from './retention/sweep.ts'
import { syncFolder } from './sqlite/connection.ts'
import { lockFolder } from './sqlite/lock.ts'
import { openPostgresDatabase } from './store/postgres-database.ts'
import { DatabaseUnavailable } from './store/postgres-errors.ts'
import { openSqliteDatabase } from './store/sqlite-database.ts'
import { createSqlStore } from './store/sql-store.ts'
import type { Store, Team } from './store/store.ts'

/** In a clone, the output of the build; in the package, a folder beside this file. */
const DASHBOARD_FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dashboard/dist' : './dashboard', import.meta.url),
)

export type Api = Awaited<ReturnType<typeof assembleApi>>

/** PostgreSQL if DATABASE_URL is set, else a SQLite file. */
export async function openStore(config: Config, log: Pick<Log, 'error'>): Promise<Store> {
  const onError = (error: unknown) => log.error({ err: error }, 'updating the text index failed')
  const database = config.databaseUrl
    ? await openPostgresDatabase(config.databaseUrl, { directUrl: config.databaseDirectUrl })
    : openSqliteDatabase(dataFile(config, 'mailhatch.db'))
  return createSqlStore(database, { onError })
}

export type LockedBucket = { bucket: Bucket; close(): Promise<void> }

/** Opens the bucket and locks it for one worker. */
export async function openLockedBucket(config: Config): Promise<LockedBucket> {
  const lock = lockFolder(dataFile(config, 'inbox-lock.db'), 'The inbox')
  const bucket = await openBucket(config).catch((error: unknown) => {
    lock.release()
    throw error
  })
  return {
    bucket,
    async close() {
      await bucket.close()
      lock.release()
    },
  }
}

/** Advisory locks: only one of the processes on a database does each of these. */
const LOCKS = { sweepRows: 1, sweepAll: 2, firstTeam: 3 }

function openFeed({ databaseUrl, databaseDirectUrl }: Config, log: Pick<Log, 'warn'>): SharedFeed {
  // The only process on its database always holds the lock.
  if (!databaseUrl) return { ...createLocalFeed(), holdsLock: async () => true, close: async () => {} }
  return createPostgresFeed({
    // LISTEN and advisory locks belong to a session, so they need a direct connection.
    url: databaseDirectUrl ?? databaseUrl,
    onError: (error) => log.warn({ err: error }, 'the connection for notifications failed, readers poll every second'),
  })
}

/** Access of a separate API to the worker's bucket: through its admin API, a shared folder or S3. Null without any. */
export async function openSharedObjects(config: Config): Promise<MessageObjects | null> {
  const { storage, workerUrl, adminToken } = config
  if (workerUrl && adminToken) return remoteObjects({ url: workerUrl, token: adminToken, now: Date.now })
  if (storage?.kind === 's3') return objectsIn(await openS3(config, storage.location))
  return storage?.kind === 'folder' ? objectsIn(await openFolderBucket(storage.path, { toPut: false })) : null
}

export type ApiParts = {
  webhookSecret: string | null
  /** Encrypts secrets in the database. */
  secretKey: string
  objects: MessageObjects | null
  /** Whether the worker runs in the same process. */
  isAllInOne: boolean
  /** Null when metrics are off. */
  meters: Meters | null
  overload: Pick<Overload, 'isOverloaded'>
  now: () => number
}

/** The API and everything it needs, except a socket. */
export async function assembleApi(config: Config, log: Log, parts: ApiParts) {
  const { webhookSecret, secretKey, objects, isAllInOne, meters, now } = parts
  const { isOverloaded } = parts.overload
  // Several processes can share PostgreSQL, so it needs no lock.
  const lock = config.databaseUrl ? null : lockFolder(dataFile(config, 'lock.db'), 'The database')
  const store = await openStore(config, log)
  const feed = openFeed(config, log)
  const followers = createFollowers({ store, feed, log })
  const waits = createWaits(followers, now)
  const frames = { message: messageFrame, ping: PING_FRAME, comeBack: COME_BACK_FRAME }
  const streams = createStreams({ store, followers, frames, log, now })
  const subscriptions = createSubscriptions({ store, followers, now })
  const keyUses = createKeyUses(store, log)
  const rejections = createRejections({ store, log, now })
  const webhooks = assembleWebhooks(config, log, { store, secretKey, meters, now })
  const mailer = await openMailer(config, log)
  const answers = createAnswerCache({ store, recordKeyUse: keyUses.record, now })
  const parser = createMailParser({
    onThreadDeath: (reason) => log.error({ reason }, 'reading an attachment failed, its thread was terminated'),
  })
  // Processes with access to the bucket share one lock: objects that a process without access cannot delete would stay.
  const holdsLock = () => feed.holdsLock(objects ? LOCKS.sweepAll : LOCKS.sweepRows)
  const sweep = startSweep({ store, objects, now, log, holdsLock }, config.sweepEverySeconds * 1000)
  let isClosing = false
  let worker: Worker | null = null
  let { smtpPort } = config

  async function findProblems(): Promise<string[]> {
    const problems = isClosing ? ['shutting down'] : []
    await store.check().catch((error: unknown) => {
      const isReadOnly = error instanceof DatabaseUnavailable && error.isReadOnly
      problems.push(isReadOnly ? 'the database is read-only' : 'the database cannot be read')
    })
    if (worker) problems.push(...(await worker.findProblems()))
    // In the all-in-one program the worker reports the overload.
    else if (isOverloaded()) problems.push(OVERLOADED)
    return problems
  }

  const takeIn = meteredTakeIn(
    createTakeIn({
      store,
      feed,
      wakeSender: webhooks.sender.wake,
      rootDomain: config.rootDomain,
      catchAllTeam: () => findCatchAllTeam(store, config.catchAll),
      recordRejection: rejections.record,
      newId,
      now,
    }),
    meters,
  )
  meters?.watch('mailhatch_waits_held', 'Waits held by this process.', waits.count)
  meters?.watch('mailhatch_streams_open', 'Live streams open in this process.', streams.count)
  const app = createApi({
    meters,
    store,
    feed,
    ...shedHeld({ waits, streams, subscriptions }, isOverloaded),
    isOverloaded,
    answers,
    log,
    newId,
    now,
    random: secureRandom,
    hashKey: hashApiKey,
    keyRotated: createKeyFile({ path: join(config.dataDir, KEY_FILE), hashKey: hashApiKey, log }),
    objects,
    contents: createContents(objects, parser, createParking(config.dataDir)),
    rateLimit: config.rateLimit === 'on' ? createRateLimit(now) : null,
    endKey: streams.endKey,
    appUrl: config.appUrl,
    dashboardFolder: DASHBOARD_FOLDER,
    newSecret,
    mailer,
    accounts: await assembleAccounts(config, log, now),
    smtp: () => (isAllInOne && smtpPort > 0 ? { host: new URL(config.appUrl).hostname, port: smtpPort } : null),
    rootDomain: config.rootDomain,
    takeIn,
    webhookSecret,
    webhooks,
    wakeSender: webhooks.sender.wake,
    recordRejection: rejections.record,
    isAllInOne,
    metrics: createMetrics({ store, now }),
    billing: openBilling({ store, appUrl: config.appUrl, now, log }, config),
    domainProof: config.domainProof,
    resolveTxt: txtRecords,
    defaultPlan: config.defaultPlan,
    unrouted: () => worker?.unrouted ?? null,
    receiveMail: () => worker?.receiveOwn ?? null,
    allowedOrigins: config.allowedOrigins,
    recordKeyUse: keyUses.record,
    findTroubles: findProblems,
  })

  return {
    fetch: underBasePath(app.fetch, config.appUrl),
    // Cached responses bypass rate limit and metrics, so they are off when either is on.
    answersAtOnce: config.rateLimit === 'on' || meters ? undefined : answers.repeat,
    store,
    takeIn,
    recordRejection: rejections.record,
    /** Whether this process, of all processes on the database, creates the first team. */
    createsFirstTeam: () => feed.holdsLock(LOCKS.firstTeam),
    /** In the all-in-one program, readiness includes the worker. */
    include(part: Worker) {
      worker = part
    },
    /** With SMTP_PORT=0, the port is known only once SMTP is listening. */
    takesMailAt(port: number) {
      smtpPort = port
    },
    /** Makes the API not ready and ends held waits and streams, so that clients reconnect elsewhere. */
    quiesce() {
      isClosing = true
      webhooks.sender.stop()
      waits.close()
      streams.close()
      subscriptions.close()
    },
    async close() {
      followers.close()
      await webhooks.sender.close()
      await sweep.close()
      await mailer?.close()
      await parser.close()
      await rejections.close().catch((error: unknown) => log.error({ err: error }, 'saving rejections failed'))
      await keyUses.close().catch((error: unknown) => log.error({ err: error }, 'saving the last use of keys failed'))
      await feed.close()
      await store.close()
      lock?.release()
    },
  }
}

/** The path of a file in the data folder, which is created with access for its owner only. */
export function dataFile({ dataDir }: Config, name: string): string {
  const created = mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // A new folder is durable only once its parent folder is synced.
  if (created) for (let path = dataDir; path.length >= created.length; path = dirname(path)) syncFolder(dirname(path))
  return join(dataDir, name)
}

async function openBucket(config: Config): Promise<Bucket> {
  if (config.storage?.kind === 'folder') return openFolderBucket(config.storage.path)
  if (config.storage?.kind === 's3') return openS3(config, config.storage.location)
  return openEmbeddedBucket(dataFile(config, 'inbox.db'))
}

function openS3({ s3AccessKeyId, s3SecretAccessKey }: Config, location: S3Location): Promise<Bucket> {
  // Config requires both when the storage is S3.
  return openS3Bucket({ location, credentials: { accessKeyId: s3AccessKeyId!, secretAccessKey: s3SecretAccessKey! } })
}

/** Warns at start-up: with an unknown catch-all team, unclaimed mail is refused. */
export async function warnOfUnknownCatchAll({ catchAll }: Config, store: Store, log: Pick<Log, 'warn'>): Promise<void> {
  if (catchAll === null || (await findCatchAllTeam(store, catchAll))) return
  log.warn({ INBOX_CATCH_ALL: catchAll }, 'no team has this id, so unclaimed mail is refused')
}

async function findCatchAllTeam(store: Store, catchAll: string | null): Promise<Team | null> {
  if (catchAll === null) return null
  return catchAll === 'bootstrap' ? store.findBootstrapTeam() : store.findTeam(catchAll)
}
