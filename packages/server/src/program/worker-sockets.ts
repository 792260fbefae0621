import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Worker } from './assemble-worker.ts'
import { ConfigError, type Config } from './config.ts'
import { reasonOf } from '../domain/reason.ts'
import { listen, type TakenPort } from '../http/listen.ts'
import type { Rejections } from '../manage/rejections.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import type { Overload } from '../observe/overload.ts'
import { isOutOfSpace } from '../sqlite/connection.ts'
import { selfSignedCertificate } from '../worker/smtp/certificate.ts'
import type { SmtpRejection } from '../worker/smtp/rejection.ts'
import { startSmtpServer, type SmtpServer, type SmtpServerPorts } from '../worker/smtp/smtp-server.ts'

type WorkerSockets = {
  taken: { worker: TakenPort; smtp: TakenPort }
  tls: Certificate | null
  meters: Meters | null
  overload: Overload
  /** Belongs to the API in the same process. A separate worker only logs rejections. */
  recordRejection: Rejections['record'] | null
}

/** Opens the worker’s health checks and admin API, and SMTP. */
export async function openWorkerSockets(config: Config, log: Log, worker: Worker, parts: WorkerSockets) {
  const { taken, tls, meters, overload, recordRejection } = parts
  const listener = await listen({ host: config.host, port: taken.worker, fetch: worker.fetch })
  const smtp = await openSmtp(config, log, worker, {
    taken: taken.smtp,
    tls,
    isOverloaded: overload.isOverloaded,
    onAccepted: (messages) => meters?.accepted(messages),
    onRejection({ from, to, code, reason, kind }) {
      meters?.refused(code, kind)
      // A refused connection has neither sender nor recipient.
      if (from !== null || to !== null)
        recordRejection?.({ from: from ?? '', to: to ?? '', code: String(code), reason })
    },
  })
  meters?.watch('mailhatch_smtp_connections', () => smtp.connections)
  return {
    workerPort: listener.port,
    smtpPort: smtp.port,
    async close() {
      await Promise.all([smtp.close(), listener.close()])
    },
  }
}

type SmtpPorts = {
  taken: TakenPort
  tls: Certificate | null
  isOverloaded: () => boolean
  onAccepted: (messages: number) => void
  onRejection: (rejection: SmtpRejection) => void
}

async function openSmtp(
  config: Config,
  log: Log,
  worker: Worker,
  { taken, tls, isOverloaded, onAccepted, onRejection }: SmtpPorts,
): Promise<SmtpServer> {
  const { smtpAuthUser, smtpAuthPassword } = config
  const ports: SmtpServerPorts = {
    freeBytes: worker.freeBytes,
    ...(worker.scripts && { scripts: worker.scripts }),
    ...(worker.attempts && { onAttempts: worker.attempts.add }),
    transit: worker.transit,
    isOverloaded,
    async receive(mail) {
      try {
        const messageIds = await worker.receive(mail)
        onAccepted(mail.recipients.length)
        return messageIds
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
    port: taken,
    hostname: hostname(),
    sizeMaxBytes: config.smtpMaxSizeBytes,
    spoolFolder: join(config.dataDir, 'spool'),
    tls,
    credentials: smtpAuthUser && smtpAuthPassword ? { user: smtpAuthUser, password: smtpAuthPassword } : null,
    allowedDomains: config.smtpAllowedDomains,
    hiddenExtensions: config.smtpHiddenExtensions ?? [],
    freeBytesMin: await worker.freeBytesMin(),
  })
}

type Certificate = { cert: string; key: string }

/** Throws if the configured certificate cannot be used. */
export async function findCertificate({ smtpTlsCert, smtpTlsKey, smtpStartTls }: Config): Promise<Certificate | null> {
  if (!smtpTlsCert || !smtpTlsKey) return smtpStartTls === 'self-signed' ? selfSignedCertificate(hostname()) : null
  const certificate = { cert: readFileSync(smtpTlsCert, 'utf8'), key: readFileSync(smtpTlsKey, 'utf8') }
  try {
    createSecureContext(certificate)
  } catch (error) {
    throw new ConfigError([`SMTP_TLS_CERT and SMTP_TLS_KEY: must be a certificate and its key (${reasonOf(error)})`])
  }
  return certificate
}
