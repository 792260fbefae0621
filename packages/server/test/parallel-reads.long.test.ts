import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { API_KEY, startChild } from './support/child-server.ts'
import { temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

/** An attachment is decoded for each who asks, which takes its time. */
const AT_ONCE = { '': 100, '/raw': 100, '/attachments/0': 20 }
const HOLD_MS_MAX = 300
const PRELOAD = fileURLToPath(new URL('./support/loop-delay.ts', import.meta.url))

/** 1 MB of text, 1 MB of HTML and an attachment, 24 MB in all. */
function largeMail(): Buffer {
  const attachment = Buffer.alloc(16 * 1024 * 1024, 7)
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\r\n')
  const parts = [
    `Content-Type: text/plain\r\n\r\n${'some "words" of a long text\r\n'.repeat(35_000)}`,
    `Content-Type: text/html\r\n\r\n${'<p>some <b>words</b></p>\r\n'.repeat(38_000)}`,
    `Content-Type: application/x-test; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n${attachment}`,
  ]
  const head = 'Subject: large\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'
  return Buffer.from(`${head}${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`)
}

test('100 reads of 24 MB at once hold up nobody', async () => {
  const environment = { DATA_DIR: temporaryFolder() }
  const server = await startChild({ environment, nodeArguments: ['--import', PRELOAD] })
  const client = await SmtpClient.connect(server.smtpPort)
  expect(await client.send({ to: 'qa+large@mailhatch.test', raw: largeMail() })).toMatch(/^250 /)
  client.close()
  const { id } = await new Mailhatch({ url: server.apiUrl, apiKey: API_KEY }).messages.waitFor({ tag: 'large' })

  async function largestDelayMs(): Promise<number> {
    const answered = once(server.process, 'message')
    server.process.send('largest delay')
    const [{ largestMs }] = (await answered) as [{ largestMs: number }]
    return Math.round(largestMs)
  }

  async function read(path: string): Promise<void> {
    for (;;) {
      const answer = await fetch(server.apiUrl + path, { headers: { authorization: `Bearer ${API_KEY}` } })
      for await (const _ of answer.body!);
      if (answer.status === 200) return
      // A key has 20 downloads at once; more are asked for again.
      expect([429, 503]).toContain(answer.status)
      await delay(200)
    }
  }

  const holds: Record<string, number> = {}
  for (const [path, count] of Object.entries(AT_ONCE)) {
    await read(`/v1/messages/${id}${path}`)
    await largestDelayMs()
    await Promise.all(Array.from({ length: count }, (_, index) => read(`/v1/messages/${id}${path}?n=${index}`)))
    holds[path || 'detail'] = await largestDelayMs()
  }
  console.info('the longest holds in ms:', holds)
  expect(Object.values(holds).every((ms) => ms <= HOLD_MS_MAX)).toBe(true)
})
