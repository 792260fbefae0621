import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { S3_CREDENTIALS, startObjectStorage } from '../../packages/server/test/support/object-storage.ts'
import { API_KEY, startProduct } from '../product.ts'
import { mailCommands } from '../tasks/mail.ts'
import { SmtpClient } from '../tasks/smtp-client.ts'

const MAILS = 100
const MAIL_BYTES = 2_000
/** The objects of deleted mail are deleted once more after a minute. */
const SECOND_DELETION_MS_MAX = 90_000
const LOOK_MS = 100

/** Requests to the bucket by method, and the bytes of their bodies. */
export type Requests = { counts: Record<string, number>; bytes: number }
export type BucketRequests = { mails: number; mailBytes: number; storing: Requests; deleting: Requests }

/** What a mail costs at a storage that charges for requests: 100 mails to an S3 server, with a proxy that counts. */
export async function countBucketRequests(folder: string): Promise<BucketRequests> {
  const storage = await startObjectStorage()
  const { s3Url } = storage.newBucket()
  const [, target] = /endpoint=(https?:\/\/[^/]+)/.exec(s3Url)!
  const proxy = await startCountingProxy(target!)
  const product = await startProduct(folder, {
    environment: {
      INBOX_STORAGE: s3Url.replace(target!, proxy.url),
      S3_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      S3_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
      RETENTION_SWEEP_SECONDS: '1',
    },
  })
  try {
    // The worker looks into the bucket when it starts.
    await proxy.untilQuiet()
    proxy.reset()
    const client = await SmtpClient.open(product.smtpPort)
    const { from, recipient, data, content } = mailCommands({ sizeBytes: MAIL_BYTES, recipient: 'qa@mailhatch.test' })
    for (let sent = 0; sent < MAILS; sent++) {
      for (const command of [from, recipient, data, content]) await client.ask(command)
    }
    client.close()
    await product.untilReadable(MAILS)
    await proxy.untilQuiet()
    const storing = proxy.reset()
    await fetch(`${product.url}/v1/messages?mailbox=qa`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${API_KEY}` },
    })
    const deadline = performance.now() + SECOND_DELETION_MS_MAX
    while ((proxy.seen().counts['POST'] ?? 0) < 2 && performance.now() < deadline) await sleep(LOOK_MS)
    await proxy.untilQuiet()
    return { mails: MAILS, mailBytes: MAIL_BYTES, storing, deleting: proxy.reset() }
  } finally {
    await product.stop()
    proxy.close()
    await storage.close()
  }
}

/** Passes requests on as they are: their signature includes the host that the client sees. */
async function startCountingProxy(target: string) {
  const quietMs = 2_000
  let seen: Requests = { counts: {}, bytes: 0 }
  let lastAt = performance.now()
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    lastAt = performance.now()
    seen.counts[method!] = (seen.counts[method!] ?? 0) + 1
    incoming.on('data', (chunk: Buffer) => void (seen.bytes += chunk.length))
    const onward = request(`${target}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen: () => seen,
    /** Returns what was counted since the last call. */
    reset(): Requests {
      const before = seen
      seen = { counts: {}, bytes: 0 }
      return before
    },
    async untilQuiet(): Promise<void> {
      while (performance.now() - lastAt < quietMs) await sleep(LOOK_MS)
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
