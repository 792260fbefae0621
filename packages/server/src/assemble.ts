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
import { TOO_MUCH_TO_DO, type Overload } from './overload.ts'
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

/** In a clone where the build leaves it, in a package beside this file. */
const DASHBOARD_FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dashboard/dist' : './dashboard', import.meta.url),
)

export type Api = Awaited<ReturnType<typeof assembleApi>>

/** On PostgreSQL if there is one, else in a file. */
export async function openStore(config: Config, log: Pick<Log, 'error'>): Promise<Store> {
  const onTrouble = (error: unknown) => log.error({ err: error }, 'the text index could not be brought up to date')
  const database = config.databaseUrl
    ? await openPostgresDatabase(config.databaseUrl, { directUrl: config.databaseDirectUrl })
    : openSqliteDatabase(dataFile(config, 'mailhatch.db'))
  return createSqlStore(database, { onTrouble })
}

export type Inbox = { bucket: Bucket; close(): Promise<void> }

/** The bucket, held by one worker alone. */
export async function openInbox(config: Config): Promise<Inbox> {
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

/** What only one process at a time does of those on one database. */
const TURNS = { sweepRows: 1, sweepAll: 2, firstTeam: 3 }

function openFeed({ databaseUrl, databaseDirectUrl }: Config, log: Pick<Log, 'warn'>): SharedFeed {
  // Alone on its database, it always has its turn.
  if (!databaseUrl) return { ...createLocalFeed(), hasTurn: async () => true, close: async () => {} }
  return createPostgresFeed({
    // What is left on a connection, to listen and to have a turn, needs one that stays the same.
    url: databaseDirectUrl ?? databaseUrl,
    onTrouble: (error) => log.warn({ err: error }, 'other replicas are not heard for now; readers look every second'),
  })
}

/** What an API without a worker reaches of the worker's bucket: by its admin API, as files or objects that both see, or nothing. */
export async function openSharedObjects(config: Config): Promise<MessageObjects | null> {
  const { storage, workerUrl, adminToken } = config
  if (workerUrl && adminToken) return remoteObjects({ url: workerUrl, token: adminToken, now: Date.now })
  if (storage?.kind === 's3') return objectsIn(await openS3(config, storage.location))
  return storage?.kind === 'folder' ? objectsIn(await openFolderBucket(storage.path, { toPut: false })) : null
}

export type ApiParts = {
  webhookSecret: string | null
  /** Encrypts what the database keeps of secrets. */
  secretKey: string
  objects: MessageObjects | null
  /** With the worker in the same process. */
  isAllInOne: boolean
  /** Null where nothing is counted. */
  meters: Meters | null
  overload: Pick<Overload, 'isOverloaded'>
  now: () => number
}

/** The API and all it stands on, but for a socket. */
export async function assembleApi(config: Config, log: Log, parts: ApiParts) {
  const { webhookSecret, secretKey, objects, isAllInOne, meters, now } = parts
  const { isOverloaded } = parts.overload
  // PostgreSQL is there for several processes.
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
    onThreadDeath: (reason) => log.error({ reason }, 'an attachment could not be read: its thread was ended'),
  })
  // Those who reach the bucket take turns among themselves, or what one cannot remove would be left for ever.
  const hasTurn = () => feed.hasTurn(objects ? TURNS.sweepAll : TURNS.sweepRows)
  const sweep = startSweep({ store, objects, now, log, hasTurn }, config.sweepEverySeconds * 1000)
  let isClosing = false
  let worker: Worker | null = null
  let { smtpPort } = config

  async function findTroubles(): Promise<string[]> {
    const troubles = isClosing ? ['shutting down'] : []
    await store.check().catch((error: unknown) => {
      const isReadOnly = error instanceof DatabaseUnavailable && error.isReadOnly
      troubles.push(isReadOnly ? 'the database is read-only' : 'the database cannot be read')
    })
    if (worker) troubles.push(...(await worker.findTroubles()))
    // The worker has said it of the program that both are.
    else if (isOverloaded()) troubles.push(TOO_MUCH_TO_DO)
    return troubles
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
  meters?.watch('mailhatch_waits_held', 'Waits that this process holds now.', waits.count)
  meters?.watch('mailhatch_streams_open', 'Live streams that this process has open now.', streams.count)
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
    findTroubles,
  })

  return {
    fetch: underBasePath(app.fetch, config.appUrl),
    // A repeated answer is not counted, so there is none where requests are.
    answersAtOnce: config.rateLimit === 'on' || meters ? undefined : answers.repeat,
    store,
    takeIn,
    recordRejection: rejections.record,
    /** Whether this process, of all on the database, is the one to make the first team. */
    makesFirstTeam: () => feed.hasTurn(TURNS.firstTeam),
    /** In the all-in-one program, being ready includes the worker. */
    include(part: Worker) {
      worker = part
    },
    /** Where any free port will do, it is known only once SMTP listens. */
    takesMailAt(port: number) {
      smtpPort = port
    },
    /** From now on not ready; held waits and streams are told to ask elsewhere. */
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
      await rejections.close().catch((error: unknown) => log.error({ err: error }, 'refusals are not written'))
      await keyUses.close().catch((error: unknown) => log.error({ err: error }, 'the last use of keys is not written'))
      await feed.close()
      await store.close()
      lock?.release()
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
  if (config.storage?.kind === 's3') return openS3(config, config.storage.location)
  return openEmbeddedBucket(dataFile(config, 'inbox.db'))
}

function openS3({ s3AccessKeyId, s3SecretAccessKey }: Config, location: S3Location): Promise<Bucket> {
  // Config has made sure of both where the storage is S3.
  return openS3Bucket({ location, credentials: { accessKeyId: s3AccessKeyId!, secretAccessKey: s3SecretAccessKey! } })
}

/** For a start: mail that nobody claims would be refused although somebody meant to have it. */
export async function warnOfCatchAll({ catchAll }: Config, store: Store, log: Pick<Log, 'warn'>): Promise<void> {
  if (catchAll === null || (await findCatchAllTeam(store, catchAll))) return
  log.warn({ INBOX_CATCH_ALL: catchAll }, 'no team has this id: mail that nobody claims is refused')
}

async function findCatchAllTeam(store: Store, catchAll: string | null): Promise<Team | null> {
  if (catchAll === null) return null
  return catchAll === 'bootstrap' ? store.findBootstrapTeam() : store.findTeam(catchAll)
}
