import { Mailhatch } from '@mailhatch/sdk'
import { newSecret } from '../../src/random.ts'
import { DOMAIN, startReplicas } from '../replicas/replicas.ts'
import { spawnServer } from '../support/child-server.ts'
import { s3Storage } from '../crash/installations.ts'
import { startObjectStorage } from '../support/object-storage.ts'
import { temporaryFolder } from '../support/server.ts'
import { usePasswordsBySmtp } from './smtp-passwords.ts'

/**
 * An API and a worker apart, on PostgreSQL with a password in its URL and on S3, at LOG_LEVEL=debug. A mail passes through
 * both. Then the worker gets a wrong token. Resolves to their process ids.
 */
export async function runProgramsApart(databaseUrl: string): Promise<{ api: number; worker: number }> {
  const objectStorage = await startObjectStorage()
  const storage = s3Storage(objectStorage.newBucket().s3Url).settings
  const webhookSecret = newSecret()
  const replicas = await startReplicas(withPassword(databaseUrl), {
    count: 1,
    environment: { ...storage, LOG_LEVEL: 'debug', INBOX_WEBHOOK_SECRET: webhookSecret },
  })
  const url = replicas.urls[0]!
  const startWorker = async (token: string) => {
    const password = newSecret()
    const environment = {
      ...storage,
      DATA_DIR: temporaryFolder(),
      LOG_LEVEL: 'debug',
      WEBHOOK_URL: `${url}/webhooks/inbox`,
      WEBHOOK_AUTH_TOKEN: token,
      ADMIN_TOKEN: newSecret(),
      SMTP_AUTH_USER: 'user',
      SMTP_AUTH_PASS: password,
    }
    const worker = spawnServer({ program: 'worker', environment })
    await worker.ready
    await usePasswordsBySmtp(worker.smtpPort, password, `qa@${DOMAIN}`)
    return worker
  }
  const sdk = new Mailhatch({ url, apiKey: replicas.key })
  const worker = await startWorker(webhookSecret)
  const { id } = await sdk.messages.waitFor({ mailbox: 'qa' })
  await sdk.messages.raw(id)
  await worker.stop()
  await (await startWorker(newSecret())).stop()
  for (const replica of replicas.all) await replica.stop()
  await objectStorage.close()
  return { api: replicas.all[0]!.process.pid!, worker: worker.process.pid! }
}

/** The server accepts any. */
function withPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.password = newSecret()
  return url.href
}
