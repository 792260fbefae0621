import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFolderBucket } from '../src/bucket/folder-bucket.ts'
import { readConfig } from '../src/program/config.ts'
import { metadataPrefix } from '../src/domain/object-keys.ts'
import { createLogger } from '../src/observe/logger.ts'
import { startWorker } from '../src/program/node.ts'
import { decodeMetadata } from '../src/worker/metadata.ts'
import { startReceiver } from './support/receiver.ts'
import { temporaryFolder } from './support/server.ts'
import { isAccepted, SmtpClient } from './support/smtp-client.ts'
import { keysIn, readObject } from './support/stored-mail.ts'
import { describeWorkerAnswers } from './support/worker-answers.ts'
import {
  ADMIN_TOKEN,
  describeWorkerJourney,
  oddMail,
  ROOT_DOMAIN,
  type JourneySettings,
  type JourneyWorker,
} from './support/worker-journey.ts'

async function startOnNode(initial: JourneySettings): Promise<JourneyWorker> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailhatch-worker-'))
  const storage = join(dataDir, 'inbox')
  const log = createLogger('silent', false)
  const startWith = ({ webhookUrl, token }: JourneySettings) =>
    startWorker(
      readConfig('worker', {
        DATA_DIR: dataDir,
        INBOX_STORAGE: `file:${storage}`,
        WORKER_PORT: '0',
        SMTP_PORT: '0',
        DISK_FREE_MIN: '0',
        EMAIL_DOMAIN: ROOT_DOMAIN,
        WEBHOOK_URL: webhookUrl ?? '',
        WEBHOOK_AUTH_TOKEN: token,
        ADMIN_TOKEN,
      }),
      log,
    )
  let running = await startWith(initial)

  return {
    bucket: await openFolderBucket(storage, { toPut: false }),
    fetch: (path, init) => fetch(`http://127.0.0.1:${running.workerPort}${path}`, init),
    async deliver(mail) {
      const client = await SmtpClient.connect(running.smtpPort!)
      const reply = await client.send(mail)
      client.close()
      if (!isAccepted(reply)) throw new Error(`Not taken: ${reply}`)
    },
    // It has its own clock.
    async sweep() {},
    async configure(settings) {
      await running.close()
      running = await startWith(settings)
    },
    async close() {
      await running.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

describeWorkerJourney('Node', startOnNode)
describeWorkerAnswers('Node', startOnNode, { showsAllAnswers: true, hasTimer: true })

test('a failing bucket refuses every mail temporarily, and each arrives once when it works again', async () => {
  const bucket = await openFolderBucket(temporaryFolder())
  let isBroken = true
  const { port } = await startReceiver({
    async put(objects) {
      if (isBroken) throw new Error('The storage is in trouble')
      await bucket.put(objects)
    },
  })
  const client = await SmtpClient.connect(port)
  const tags = Array.from({ length: 100 }, (_, number) => String(number))
  const send = (tag: string) => client.send({ to: `qa+${tag}@in.test`, raw: oddMail(`Mail ${tag}`) })
  for (const tag of tags) expect(await send(tag)).toMatch(/^451 4\.3\.0 /)
  expect(await keysIn(bucket)).toEqual([])

  isBroken = false
  for (const tag of tags) expect(await send(tag)).toSatisfy(isAccepted)
  const keys = await keysIn(bucket, metadataPrefix('unprocessed'))
  const stored = await Promise.all(keys.map(async (key) => decodeMetadata(await readObject(bucket, key)).tag!))
  expect(stored.toSorted()).toEqual(tags.toSorted())
  expect(await keysIn(bucket, 'raw/')).toHaveLength(tags.length)
  client.close()
})
