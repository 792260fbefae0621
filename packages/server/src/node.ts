import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { assembleApi, assembleWorker, openInbox, openSharedObjects, type Api, type Worker } from './assemble.ts'
import { objectsIn } from './bucket/message-objects.ts'
import { withPort, type Config } from './config.ts'
import { ensureFirstTeam, ensureSecrets, type FirstStart } from './first-start.ts'
import { listen, takeFreePort, type TakenPort } from './http/listen.ts'
import { postLocally } from './http/local-post.ts'
import type { Log } from './log.ts'
import type { Rejections } from './manage/rejections.ts'
import { isOutOfSpace } from './sqlite/connection.ts'
import { postOverNetwork } from './worker/announce.ts'
import { selfSignedCertificate } from './worker/smtp/certificate.ts'
import { startSmtpServer, type Refusal, type SmtpServer } from './worker/smtp/smtp-server.ts'

/** What a program is while it runs. Ports are the real ones, also where 0 was asked for. */
export type Running = {
  apiPort: number | null
  workerPort: number | null
  smtpPort: number | null
  /** Set only when this start made the first team. */
  firstStart: FirstStart | null
  close(): Promise<void>
}

/** Everything in one process. The worker announces to the API next door, which takes it as if it came from afar. */
export async function startServe(given: Config, log: Log, now = Date.now): Promise<Running> {
  const { config, port } = await settlePort(given)
  const { webhookSecret, secretKey } = await ensureSecrets(config, ['webhookSecret', 'secretKey'])
  const inbox = await openInbox(config)
  const api = await assembleApi(config, log, {
    webhookSecret,
    secretKey,
    objects: objectsIn(inbox.bucket),
    isAllInOne: true,
    now,
  })
  const firstStart = await ensureFirstTeam(config, api.store, { hasTurn: api.makesFirstTeam, now })
  const post = config.webhookUrl
    ? postOverNetwork({ url: config.webhookUrl, token: webhookSecret, timeoutMs: config.webhookTimeoutMs })
    : postLocally(api.takeIn, log)
  const worker = assembleWorker(config, log, { inbox, post, now })
  api.include(worker)
  const apiListener = await listenApi(config.host, port, api)
  const workerSockets = await openWorkerSockets(config, log, worker, api.recordRejection)
  return {
    apiPort: apiListener.port,
    workerPort: workerSockets.workerPort,
    smtpPort: workerSockets.smtpPort,
    firstStart,
    close: once(async () => {
      api.quiesce()
      await Promise.all([apiListener.close(), workerSockets.close()])
      await worker.stop()
      await api.close()
      await inbox.close()
    }),
  }
}

export async function startApi(given: Config, log: Log, now = Date.now): Promise<Running> {
  const { config, port } = await settlePort(given)
  const { secretKey } = await ensureSecrets(config, ['secretKey'])
  const objects = await openSharedObjects(config)
  const { webhookSecret } = config
  const api = await assembleApi(config, log, { webhookSecret, secretKey, objects, isAllInOne: false, now })
  const listener = await listenApi(config.host, port, api)
  return {
    apiPort: listener.port,
    workerPort: null,
    smtpPort: null,
    firstStart: null,
    close: once(async () => {
      api.quiesce()
      await listener.close()
      await api.close()
    }),
  }
}

export async function startWorker(config: Config, log: Log): Promise<Running> {
  const { webhookUrl: url, webhookAuthToken: token, webhookTimeoutMs: timeoutMs } = config
  const inbox = await openInbox(config)
  const post = url && token ? postOverNetwork({ url, token, timeoutMs }) : null
  const worker = assembleWorker(config, log, { inbox, post, now: Date.now })
  const sockets = await openWorkerSockets(config, log, worker)
  return {
    apiPort: null,
    workerPort: sockets.workerPort,
    smtpPort: sockets.smtpPort,
    firstStart: null,
    close: once(async () => {
      await sockets.close()
      await worker.stop()
      await inbox.close()
    }),
  }
}

/** Links name the port, so where any free one will do, it is taken before there is anything that makes links. */
async function settlePort(given: Config): Promise<{ config: Config; port: number | TakenPort }> {
  if (given.port !== 0) return { config: given, port: given.port }
  const taken = await takeFreePort(given.host)
  return { config: withPort(given, taken.port), port: taken }
}

function listenApi(host: string, port: number | TakenPort, { fetch, answersAtOnce }: Api) {
  return listen({ host, port, fetch, answersAtOnce })
}

/** Closing twice is closing once. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => (closing ??= close())
}

/** `recordRejection` is for the API next door, if there is one: a worker of its own has only its log. */
async function openWorkerSockets(
  config: Config,
  log: Log,
  worker: Worker,
  recordRejection: Rejections['record'] | null = null,
) {
  const listener = await listen({ host: config.host, port: config.workerPort, fetch: worker.fetch })
  const smtp = await openSmtp(config, log, worker, ({ from, to, code, reason }) => {
    if (to !== null) recordRejection?.({ from: from ?? '', to, code: String(code), reason })
  })
  await worker.start()
  return {
    workerPort: listener.port,
    smtpPort: smtp.port,
    async close() {
      await Promise.all([smtp.close(), listener.close()])
    },
  }
}

async function openSmtp(
  config: Config,
  log: Log,
  worker: Worker,
  onRefusal: (refusal: Refusal) => void,
): Promise<SmtpServer> {
  const { smtpAuthUser, smtpAuthPassword } = config
  return startSmtpServer({
    host: config.smtpHost,
    port: config.smtpPort,
    hostname: hostname(),
    sizeMaxBytes: config.smtpMaxSizeBytes,
    spoolFolder: join(config.dataDir, 'spool'),
    tls: await findCertificate(config),
    credentials: smtpAuthUser && smtpAuthPassword ? { user: smtpAuthUser, password: smtpAuthPassword } : null,
    allowedDomains: config.smtpAllowedDomains,
    freeBytes: worker.freeBytes,
    freeBytesMin: await worker.freeBytesMin(),
    async receive(mail) {
      try {
        await worker.receive(mail)
      } catch (error) {
        throw isOutOfSpace(error)
          ? Object.assign(new Error('out of space', { cause: error }), { outOfSpace: true })
          : error
      }
    },
    onRefusal(refusal) {
      log.info(refusal, 'mail was refused')
      onRefusal(refusal)
    },
    log,
  })
}

async function findCertificate({ smtpTlsCert, smtpTlsKey, smtpStartTls }: Config) {
  if (smtpTlsCert && smtpTlsKey)
    return { cert: readFileSync(smtpTlsCert, 'utf8'), key: readFileSync(smtpTlsKey, 'utf8') }
  return smtpStartTls === 'self-signed' ? selfSignedCertificate(hostname()) : null
}
