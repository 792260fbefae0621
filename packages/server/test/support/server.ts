import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/program/config.ts'
import { startServe, type Running } from '../../src/program/node.ts'
import type { Overload } from '../../src/observe/overload.ts'
import { boundDatabase } from './bound-database.ts'
import type { WhenOver } from './file-life.ts'
import { withDatabase } from './journey-database.ts'
import { keptLogger, loggingOfRun, madeSecret, madeSecretSettings } from './made-secrets.ts'

export const WEBHOOK_SECRET = 'secret-of-the-tests'

/** On a machine that runs many tests at once, a server may be late through no fault of its own. */
export const NEVER_OVERLOADED: Overload = { isOverloaded: () => false, isMemoryShort: () => false, close() {} }

/** A new folder, by default for one test, deleted afterwards. */
export function temporaryFolder(whenOver: WhenOver = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-'))
  // A program that was only just asked to stop may still write.
  whenOver(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return folder
}

/** The whole product in this process, on free ports and real sockets. The caller closes it. */
export async function serveIn(
  dataDir: string,
  environment: Record<string, string>,
  now: () => number = Date.now,
  overload = NEVER_OVERLOADED,
): Promise<Running> {
  const settings = await withDatabase({
    DATA_DIR: dataDir,
    PORT: '0',
    WORKER_PORT: '0',
    SMTP_PORT: '0',
    LOG_LEVEL: 'silent',
    ...loggingOfRun(),
    INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
    DISK_FREE_MIN: '0',
    ...environment,
  })
  madeSecretSettings(settings)
  const config = readConfig('serve', settings)
  const running = await startServe(config, keptLogger(config.logLevel), { now, overload, wrapDatabase: boundDatabase })
  if (running.firstStart) for (const name of ['apiKey', 'signInToken'] as const) madeSecret(running.firstStart[name])
  return running
}

/**
 * The same with a new folder and helpers for requests and mail. Closed when the test ends. `now` is the clock of the whole
 * product, for tests in which days pass.
 */
export async function startServer(
  environment: Record<string, string> = {},
  now: () => number = Date.now,
  overload = NEVER_OVERLOADED,
) {
  const dataDir = temporaryFolder()
  const running = await serveIn(dataDir, environment, now, overload)
  onTestFinished(() => running.close())
  const url = `http://127.0.0.1:${running.apiPort}`
  const { apiKey, signInToken } = running.firstStart!
  const transport = createTransport({ host: '127.0.0.1', port: running.smtpPort! })
  onTestFinished(() => transport.close())
  return {
    url,
    apiKey,
    signInToken,
    dataDir,
    smtpPort: running.smtpPort!,
    workerUrl: `http://127.0.0.1:${running.workerPort}`,
    /** With COMPAT. */
    compatUrl: `http://127.0.0.1:${running.compatPort}`,
    sdk: new Mailhatch({ url, apiKey }),
    /** Resolves when the server has replied with 250. */
    sendMail: (mail: SendMailOptions) => transport.sendMail({ from: 'sender@shop.example', ...mail }),
    close: () => running.close(),
  }
}
