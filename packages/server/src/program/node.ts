import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { assembleApi, type Api } from './assemble.ts'
import { assembleIntake, LOCKS, warnOfUnknownCatchAll } from './assemble-intake.ts'
import { assembleWorker, type Worker } from './assemble-worker.ts'
import { objectsIn } from '../bucket/message-objects.ts'
import { withPort, type Config } from './config.ts'
import { ensureFirstTeam, ensureSecrets, type FirstStart } from './first-start.ts'
import { listen, takeFreePort, type TakenPort } from '../http/listen.ts'
import { postLocally, reportLocally } from '../http/local-post.ts'
import { writeLocalAddresses } from './local-addresses.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import type { Rejections } from '../manage/rejections.ts'
import { openLockedBucket, openSharedObjects } from './open-bucket.ts'
import { watchOverload, type Overload } from '../observe/overload.ts'
import { postJson } from './post-json.ts'
import { reserveSpareRoom, reserveSpareRoomAtExit, releaseSpareRoom } from './spare-room.ts'
import { isOutOfSpace } from '../sqlite/connection.ts'
import { createApiClient } from '../worker/announce.ts'
import { selfSignedCertificate } from '../worker/smtp/certificate.ts'
import type { SmtpRejection } from '../worker/smtp/rejection.ts'
import { startSmtpServer, type SmtpServer, type SmtpServerPorts } from '../worker/smtp/smtp-server.ts'

/** A running program. Ports are the actual ones, also if the setting was 0. */
export type Running = {
  apiPort: number | null
  workerPort: number | null
  smtpPort: number | null
  /** Set only if this start created the first team. */
  firstStart: FirstStart | null
  close(): Promise<void>
}

/** Everything in one process. The worker passes announcements to the API directly, without HTTP. */
export async function startServe(
  given: Config,
  log: Log,
  now = Date.now,
  overload = watchOverload(log),
): Promise<Running> {
  const { config, port } = await settlePort(given)
  releaseSpareRoom(config.dataDir)
  const { webhookSecret, secretKey } = await ensureSecrets(config, ['webhookSecret', 'secretKey'])
  const meters = await openMeters(config, overload)
  const inbox = await openLockedBucket(config)
  const intake = await assembleIntake(config, log, { secretKey, meters, now })
  const { store, acceptAnnouncement, recordRejection } = intake
  const holdsLock = () => intake.feed.holdsLock(LOCKS.firstTeam)
  const firstStart = await ensureFirstTeam(config, store, { holdsLock, now })
  await warnOfUnknownCatchAll(config, store, log)
  const { webhookUrl: url, webhookTimeoutMs: timeoutMs } = config
  const announceTo = url
    ? createApiClient({ url, token: webhookSecret, timeoutMs, postJson })
    : { post: postLocally(acceptAnnouncement, log), report: reportLocally(recordRejection) }
  const worker = assembleWorker(config, log, { inbox, api: announceTo, meters, overload, now })
  const sockets = await openWorkerSockets(config, log, worker, { meters, overload, recordRejection })
  const api = await assembleApi(config, log, {
    intake,
    webhookSecret,
    objects: objectsIn(inbox.bucket),
    worker: { ...worker, smtpPort: sockets.smtpPort },
    meters,
    overload,
    now,
  })
  const listener = await listenApi(config.host, port, api)
  await worker.start()
  writeLocalAddresses(config, sockets.smtpPort)
  reserveSpareRoom(config.dataDir)
  return {
    apiPort: listener.port,
    workerPort: sockets.workerPort,
    smtpPort: sockets.smtpPort,
    firstStart,
    close: once(async () => {
      api.quiesce()
      await Promise.all([listener.close(), sockets.close()])
      await worker.stop()
      await api.close()
      await inbox.close()
      reserveSpareRoomAtExit(config.dataDir)
      overload.close()
    }),
  }
}

export async function startApi(
  given: Config,
  log: Log,
  now = Date.now,
  overload = watchOverload(log),
): Promise<Running> {
  const { config, port } = await settlePort(given)
  // On PostgreSQL the API stores nothing in its data folder.
  const spareFolder = config.databaseUrl ? null : config.dataDir
  if (spareFolder) releaseSpareRoom(spareFolder)
  const { secretKey } = await ensureSecrets(config, ['secretKey'])
  const objects = await openSharedObjects(config)
  const { webhookSecret } = config
  const meters = await openMeters(config, overload)
  const intake = await assembleIntake(config, log, { secretKey, meters, now })
  const api = await assembleApi(config, log, { intake, webhookSecret, objects, worker: null, meters, overload, now })
  await warnOfUnknownCatchAll(config, intake.store, log)
  const listener = await listenApi(config.host, port, api)
  writeLocalAddresses(config, null)
  if (spareFolder) reserveSpareRoom(spareFolder)
  return {
    apiPort: listener.port,
    workerPort: null,
    smtpPort: null,
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

export async function startWorker(config: Config, log: Log, overload = watchOverload(log)): Promise<Running> {
  const { webhookUrl: url, webhookAuthToken: token, webhookTimeoutMs: timeoutMs } = config
  releaseSpareRoom(config.dataDir)
  const inbox = await openLockedBucket(config)
  const api = url && token ? createApiClient({ url, token, timeoutMs, postJson }) : null
  const meters = await openMeters(config, overload)
  const worker = assembleWorker(config, log, { inbox, api, meters, overload, now: Date.now })
  const sockets = await openWorkerSockets(config, log, worker, { meters, overload, recordRejection: null })
  await worker.start()
  reserveSpareRoom(config.dataDir)
  return {
    apiPort: null,
    workerPort: sockets.workerPort,
    smtpPort: sockets.smtpPort,
    firstStart: null,
    close: once(async () => {
      await sockets.close()
      await worker.stop()
      await inbox.close()
      reserveSpareRoomAtExit(config.dataDir)
      overload.close()
    }),
  }
}

/** Links contain the port, so a free port is chosen before anything creates links. */
async function settlePort(given: Config): Promise<{ config: Config; port: number | TakenPort }> {
  if (given.port !== 0) return { config: given, port: given.port }
  const taken = await takeFreePort(given.host)
  return { config: withPort(given, taken.port), port: taken }
}

function listenApi(host: string, port: number | TakenPort, { fetch }: Api) {
  return listen({ host, port, fetch })
}

/** Repeated calls return the first promise. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => (closing ??= close())
}

/** Imported on demand: it would slow down every start. */
async function openMeters({ metrics }: Config, { isOverloaded }: Overload): Promise<Meters | null> {
  if (metrics === 'off') return null
  const { createMeters } = await import('../observe/meters.ts')
  const meters = createMeters()
  meters.watch('mailhatch_overloaded', '1 while the process is overloaded and refuses new work, else 0.', () =>
    Number(isOverloaded()),
  )
  return meters
}

/** `recordRejection` belongs to the API in the same process. A separate worker only logs rejections. */
type Observers = { meters: Meters | null; overload: Overload; recordRejection: Rejections['record'] | null }

async function openWorkerSockets(config: Config, log: Log, worker: Worker, observers: Observers) {
  const { meters, overload, recordRejection } = observers
  const listener = await listen({ host: config.host, port: config.workerPort, fetch: worker.fetch })
  const smtp = await openSmtp(config, log, worker, {
    isOverloaded: overload.isOverloaded,
    onAccepted: (messages) => meters?.accepted(messages),
    onRejection({ from, to, code, reason }) {
      meters?.refused(code)
      // A refused connection has neither sender nor recipient.
      if (from !== null || to !== null)
        recordRejection?.({ from: from ?? '', to: to ?? '', code: String(code), reason })
    },
  })
  meters?.watch('mailhatch_smtp_connections', 'Open SMTP connections.', () => smtp.connections)
  return {
    workerPort: listener.port,
    smtpPort: smtp.port,
    async close() {
      await Promise.all([smtp.close(), listener.close()])
    },
  }
}

type SmtpPorts = {
  isOverloaded: () => boolean
  onAccepted: (messages: number) => void
  onRejection: (rejection: SmtpRejection) => void
}

async function openSmtp(
  config: Config,
  log: Log,
  worker: Worker,
  { isOverloaded, onAccepted, onRejection }: SmtpPorts,
): Promise<SmtpServer> {
  const { smtpAuthUser, smtpAuthPassword } = config
  const ports: SmtpServerPorts = {
    freeBytes: worker.freeBytes,
    isOverloaded,
    async receive(mail) {
      try {
        await worker.receive(mail)
        onAccepted(mail.recipients.length)
      } catch (error) {
        throw isOutOfSpace(error)
          ? Object.assign(new Error('out of space', { cause: error }), { outOfSpace: true })
          : error
      }
    },
    onRejection(rejection) {
      log.info(rejection, 'mail rejected')
      onRejection(rejection)
    },
    log,
  }
  return startSmtpServer(ports, {
    host: config.smtpHost,
    port: config.smtpPort,
    hostname: hostname(),
    sizeMaxBytes: config.smtpMaxSizeBytes,
    spoolFolder: join(config.dataDir, 'spool'),
    tls: await findCertificate(config),
    credentials: smtpAuthUser && smtpAuthPassword ? { user: smtpAuthUser, password: smtpAuthPassword } : null,
    allowedDomains: config.smtpAllowedDomains,
    freeBytesMin: await worker.freeBytesMin(),
  })
}

async function findCertificate({ smtpTlsCert, smtpTlsKey, smtpStartTls }: Config) {
  if (smtpTlsCert && smtpTlsKey)
    return { cert: readFileSync(smtpTlsCert, 'utf8'), key: readFileSync(smtpTlsKey, 'utf8') }
  return smtpStartTls === 'self-signed' ? selfSignedCertificate(hostname()) : null
}
