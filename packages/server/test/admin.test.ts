import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { readConfig } from '../src/program/config.ts'
import { createLogger } from '../src/observe/logger.ts'
import { startWorker } from '../src/program/node.ts'
import { describeAdmin } from './support/admin-contract.ts'

describeAdmin('Node, embedded bucket', async (settings) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailhatch-'))
  const config = readConfig('worker', {
    DATA_DIR: dataDir,
    WORKER_PORT: '0',
    SMTP_PORT: '0',
    LOG_LEVEL: 'silent',
    DISK_FREE_MIN: '0',
    ...settings,
  })
  const worker = await startWorker(config, createLogger(config.logLevel, false))
  const transport = createTransport({ host: '127.0.0.1', port: worker.smtpPort!, pool: true, maxConnections: 1 })
  return {
    url: `http://127.0.0.1:${worker.workerPort}`,
    async deliver(to, raw) {
      await transport.sendMail({ envelope: { from: 'shop@shop.example', to }, raw })
    },
    async close() {
      transport.close()
      await worker.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
})
