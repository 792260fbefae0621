import { assembleApi, type Api } from './assemble.ts'
import { assembleIntake, LOCKS, warnOfUnknownCatchAll, type Intake } from './assemble-intake.ts'
import { assembleWorker, workerId } from './assemble-worker.ts'
import { objectsIn } from '../bucket/message-objects.ts'
import { withPort, type Config } from './config.ts'
import { ensureFirstTeam, ensureSecrets, type FirstStart } from './first-start.ts'
import { listen, takePort, type Listener, type TakenPort } from '../http/listen.ts'
import { postLocally, reportLocally } from '../http/local-post.ts'
import { refuseOwnDatabase, refuseOwnSecretKey } from './left-alone.ts'
import { writeLocalAddresses } from './local-addresses.ts'
import { createToken } from '../manage/one-time-tokens.ts'
import { ensureOwner } from '../manage/owner.ts'
import type { Log } from '../observe/log.ts'
import type { MeteredPart, Meters } from '../observe/meters.ts'
import { openLockedBucket, openSharedObjects } from './open-bucket.ts'
import type { WrapDatabase } from './open-store.ts'
import { watchOverload, type Overload } from '../observe/overload.ts'
import type { Tracing } from '../observe/tracing.ts'
import { postJson } from './post-json.ts'
import { beginRun, endRun } from './run-mark.ts'
import { reserveSpareRoom, reserveSpareRoomAtExit, releaseSpareRoom } from './spare-room.ts'
import { apiPort, checkPorts, compatPorts, takePorts, workerPorts } from './take-ports.ts'
import { findCertificate, openWorkerSockets } from './worker-sockets.ts'
import { openTracing, tracedFetch, tracedPostJson } from './traced.ts'
import { newId, newSecret } from '../random.ts'
import { createApiClient, type ApiClient } from '../worker/announce.ts'
import { answerQuestions } from '../worker/answer-questions.ts'
import type { AttemptSender } from '../worker/attempt-queue.ts'
import { watchScripts, type WatchedScripts } from '../worker/watch-scripts.ts'
import { watchTransit } from '../worker/transit-watch.ts'

/** Logged for each mail to an address that no team claims. The sender got a 250, because the mail is kept. */
const UNCLAIMED =
  'mail for an address without a team is kept: read it in the dashboard under "Other addresses", or start with --catch-all'
/** Without a dashboard in the same program, such mail is only in the bucket. */
const UNCLAIMED_APART = 'mail for an address without a team is kept: set INBOX_CATCH_ALL for the API, then retry it'

/** A running program. Ports are the actual ones, also if the setting was 0. */
export type Running = {
  apiPort: number | null
  workerPort: number | null
  smtpPort: number | null
  /** For clients of another mail catcher. */
  compatPort: number | null
  /** Set only if this start created the first team. */
  firstStart: FirstStart | null
  /** For a link that signs the owner of the first team in. Only the all-in-one program has one for sure. */
  createSignInToken?: () => Promise<string>
  close(): Promise<void>
}

/** What the process gives to a program that runs in it. */
export type ProgramOptions = {
  now?: () => number
  overload?: Overload
  /** Called before each mail. */
  onMail?: () => void
  /** Returns what the store uses instead of its database. */
  wrapDatabase?: WrapDatabase
}

/** Everything in one process. The worker passes announcements to the API directly, without HTTP. */
export async function startServe(
  given: Config,
  log: Log,
  { now = Date.now, overload = watchOverload(log), onMail = () => {}, wrapDatabase }: ProgramOptions = {},
): Promise<Running> {
  await refuseOwnDatabase(given)
  await checkPorts({ ...apiPort(given), ...workerPorts(given), ...compatPorts(given) })
  const { config, port } = await settlePort(given)
  releaseSpareRoom(config.dataDir)
  const { webhookSecret, secretKey } = await ensureSecrets(config, ['webhookSecret', 'secretKey'])
  const meters = await openMeters(config, overload, 'both')
  const tracing = await openTracing()
  const inbox = await openLockedBucket(config, meters)
  const wasCutOff = beginRun(config.dataDir)
  const intake = await assembleIntake(config, log, { secretKey, meters, tracing, onMail, now, wrapDatabase })
  const { store, acceptAnnouncement, recordRejection } = intake
  await refuseOwnSecretKey(config, { store, secretKey })
  const { webhookUrl: url, webhookTimeoutMs: timeoutMs } = config
  const id = workerId(config)
  const client = url
    ? createApiClient({ url, token: webhookSecret, timeoutMs, worker: id, postJson: tracedPostJson(postJson, tracing) })
    : null
  const scripts = client ? await watchScripts(client.scripts, log) : localScripts(intake)
  const worker = assembleWorker(config, log, {
    inbox,
    api: client ?? { post: postLocally(acceptAnnouncement, log), report: reportLocally(recordRejection) },
    scripts,
    attemptSender: client
      ? reportTo(client)
      : { send: intake.addAttempts, afterMs: config.databaseUrl ? REPORT_AFTER_MS : REPORT_ALONE_AFTER_MS },
    unclaimedNotice: UNCLAIMED,
    meters,
    tracing,
    overload,
    wasCutOff,
    onMail,
    now,
  })
  const { onItsWay: answer, isEmpty } = worker
  const questions =
    client && (await answerQuestions({ client: client.questions, worker: id, timeoutMs, answer, isEmpty, log }))
  if (!client) {
    await intake.exchange.attach(id, { watch: (onEmptied) => watchTransit(answer, onEmptied), isEmpty })
  }
  const tls = await findCertificate(config)
  const taken = await takePorts(workerPorts(config))
  const apiTaken = typeof port === 'number' ? (await takePorts(apiPort(config))).api : port
  const { compat: compatTaken } = await takePorts(compatPorts(config))
  const api = await assembleApi(config, log, {
    intake,
    webhookSecret,
    objects: objectsIn(inbox.bucket),
    worker: { ...worker, smtpPort: taken.smtp.port },
    meters,
    overload,
    now,
  })
  // Only now, because its key is shown by the start that creates it: from here on, little can fail. Before mail arrives.
  const holdsLock = () => intake.feed.holdsLock(LOCKS.firstTeam)
  const firstStart = await ensureFirstTeam(config, store, { holdsLock, now })
  await warnOfUnknownCatchAll(config, store, log)
  const sockets = await openWorkerSockets(config, log, worker, { taken, tls, meters, overload, recordRejection })
  const listener = await listenForApi(config, apiTaken, api, tracing)
  const compat =
    api.doors && compatTaken && (await listen({ ...api.doors, host: config.compatHost, port: compatTaken }))
  await worker.start()
  writeLocalAddresses(config, sockets.smtpPort)
  reserveSpareRoom(config.dataDir)
  return {
    apiPort: listener.port,
    workerPort: sockets.workerPort,
    smtpPort: sockets.smtpPort,
    compatPort: compat?.port ?? null,
    firstStart,
    createSignInToken: async () => {
      const owner = await ensureOwner({ store, newId, now })
      return createToken({ store, newSecret, now }, owner.id, 'sign-in')
    },
    close: once(async () => {
      api.quiesce()
      await Promise.all([listener.close(), sockets.close(), compat?.close()])
      await worker.stop()
      await questions?.close()
      scripts.close()
      await api.close()
      await inbox.close()
      reserveSpareRoomAtExit(config.dataDir)
      endRun(config.dataDir)
      overload.close()
    }),
  }
}

export async function startApi(
  given: Config,
  log: Log,
  { now = Date.now, overload = watchOverload(log), onMail = () => {}, wrapDatabase }: ProgramOptions = {},
): Promise<Running> {
  await checkPorts(apiPort(given))
  const { config, port } = await settlePort(given)
  // On PostgreSQL the API stores nothing in its data folder.
  const spareFolder = config.databaseUrl ? null : config.dataDir
  if (spareFolder) releaseSpareRoom(spareFolder)
  const { secretKey } = await ensureSecrets(config, ['secretKey'])
  const objects = await openSharedObjects(config)
  const { webhookSecret } = config
  const meters = await openMeters(config, overload, 'api')
  const tracing = await openTracing()
  const intake = await assembleIntake(config, log, { secretKey, meters, tracing, onMail, now, wrapDatabase })
  const api = await assembleApi(config, log, { intake, webhookSecret, objects, worker: null, meters, overload, now })
  await warnOfUnknownCatchAll(config, intake.store, log)
  const apiTaken = typeof port === 'number' ? (await takePorts(apiPort(config))).api : port
  const listener = await listenForApi(config, apiTaken, api, tracing)
  writeLocalAddresses(config, null)
  if (spareFolder) reserveSpareRoom(spareFolder)
  return {
    apiPort: listener.port,
    workerPort: null,
    smtpPort: null,
    compatPort: null,
    firstStart: null,
    close: once(async () => {
      api.quiesce()
      await listener.close()
      await api.close()
      if (spareFolder) reserveSpareRoomAtExit(spareFolder)
      overload.close()
    }),
  }
}

export async function startWorker(
  config: Config,
  log: Log,
  { now = Date.now, overload = watchOverload(log), onMail = () => {} }: ProgramOptions = {},
): Promise<Running> {
  const { webhookUrl: url, webhookAuthToken: token, webhookTimeoutMs: timeoutMs } = config
  await checkPorts(workerPorts(config))
  releaseSpareRoom(config.dataDir)
  const meters = await openMeters(config, overload, 'worker')
  const tracing = await openTracing()
  const inbox = await openLockedBucket(config, meters)
  const id = workerId(config)
  const api =
    url && token
      ? createApiClient({ url, token, timeoutMs, worker: id, postJson: tracedPostJson(postJson, tracing) })
      : null
  const wasCutOff = beginRun(config.dataDir)
  const run = { overload, wasCutOff, onMail, now }
  const scripts = api && (await watchScripts(api.scripts, log))
  const attemptSender = api && reportTo(api)
  const parts = { inbox, api, scripts, attemptSender, unclaimedNotice: UNCLAIMED_APART, meters, tracing, ...run }
  const worker = assembleWorker(config, log, parts)
  const { onItsWay: answer, isEmpty } = worker
  const questions =
    api && (await answerQuestions({ client: api.questions, worker: id, timeoutMs, answer, isEmpty, log }))
  const tls = await findCertificate(config)
  const taken = await takePorts(workerPorts(config))
  const sockets = await openWorkerSockets(config, log, worker, { taken, tls, meters, overload, recordRejection: null })
  await worker.start()
  reserveSpareRoom(config.dataDir)
  return {
    apiPort: null,
    workerPort: sockets.workerPort,
    smtpPort: sockets.smtpPort,
    compatPort: null,
    firstStart: null,
    close: once(async () => {
      await sockets.close()
      scripts?.close()
      await worker.stop()
      await questions?.close()
      await inbox.close()
      reserveSpareRoomAtExit(config.dataDir)
      endRun(config.dataDir)
      overload.close()
    }),
  }
}

function listenForApi({ host }: Config, port: TakenPort, api: Api, tracing: Tracing | null): Promise<Listener> {
  const fetch = tracedFetch(api.fetch, tracing)
  return listen({ host, port, fetch, upgrades: api.doors && api.doors.upgradesBesides })
}

/** The scripts of the API in the same process. */
function localScripts({ scripts, takeStep }: Intake): WatchedScripts {
  return { known: () => scripts.current().scripts, takeStep, close() {} }
}

/** With the request and the write, attempts are visible after about 200 ms. */
const REPORT_AFTER_MS = 100
/** The only process of a database stores what it has before it reads. So it saves syncs. */
const REPORT_ALONE_AFTER_MS = 1_000

function reportTo({ sendAttempts }: ApiClient): AttemptSender {
  return { send: sendAttempts, afterMs: REPORT_AFTER_MS }
}

/** Links contain the port, so a free port is chosen before anything creates links. */
async function settlePort(given: Config): Promise<{ config: Config; port: number | TakenPort }> {
  if (given.port !== 0) return { config: given, port: given.port }
  const taken = await takePort(given)
  return { config: withPort(given, taken.port), port: taken }
}

/** Repeated calls return the first promise. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => (closing ??= close())
}

/** Imported on demand: it would slow down every start. */
async function openMeters({ metrics }: Config, { isOverloaded }: Overload, part: MeteredPart): Promise<Meters | null> {
  if (metrics === 'off') return null
  const { createMeters } = await import('../observe/meters.ts')
  const meters = createMeters(part)
  meters.watch('mailhatch_overloaded', () => Number(isOverloaded()))
  return meters
}
