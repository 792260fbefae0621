import { setTimeout as delay } from 'node:timers/promises'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { API_KEY, startChild } from './support/child-server.ts'
import { largestWorkMs, WITH_DELAYS } from './support/largest-delay.ts'
import { runForJson } from './support/program.ts'
import { temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

const AT_ONCE = 100
/** A key has 20 downloads at once, so that all hundred are under way. */
const KEYS = 6
const PATHS = ['/raw', '/attachments/0', '']
/** Processor time. Measured: 12 to 67 ms; before, 292 to 1,299. */
const WORK_MS_MAX = 150

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

test('100 concurrent reads of 24 MB do not block other requests', async () => {
  const environment = { DATA_DIR: temporaryFolder() }
  const server = await startChild({ environment, nodeArguments: WITH_DELAYS })
  const client = await SmtpClient.connect(server.smtpPort)
  expect(await client.send({ to: 'qa+large@mailhatch.test', raw: largeMail() })).toMatch(/^250 /)
  client.close()
  const sdk = new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })
  const { id } = await sdk.messages.waitFor({ tag: 'large' })
  const { name: team } = (await sdk.me()).team
  const keys = [API_KEY]
  while (keys.length < KEYS)
    keys.push((await runForJson<{ key: string }>(['keys', 'create', '--team', team, '--json'], environment)).key)

  async function read(path: string, key: string): Promise<number> {
    for (;;) {
      const answer = await fetch(server.apiUrl + path, { headers: { authorization: `Bearer ${key}` } })
      let size = 0
      for await (const chunk of answer.body!) size += chunk.byteLength
      if (answer.status === 200) return size
      // Repeated by clients that got a 429.
      expect([429, 503]).toContain(answer.status)
      await delay(200)
    }
  }

  const holds: Record<string, number> = {}
  for (const path of PATHS) {
    const one = await read(`/v1/messages/${id}${path}`, API_KEY)
    await largestWorkMs(server)
    const sizes = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        read(`/v1/messages/${id}${path}?n=${index}`, keys[index % keys.length]!),
      ),
    )
    expect(new Set(sizes)).toEqual(new Set([one]))
    holds[path || 'detail'] = Math.round(await largestWorkMs(server))
  }
  console.info('the longest turns in ms of the processor:', holds)
  expect(Object.entries(holds).filter(([, ms]) => ms > WORK_MS_MAX)).toEqual([])
})
