import { Mailhatch, type MessageDetail } from '@mailhatch/sdk'
import { expect } from 'vitest'
import { parseMail } from '../../src/mime/parse-mail.ts'
import { API_KEY, startChild } from '../support/child-server.ts'
import { largestWorkMs, WITH_DELAYS } from '../support/largest-delay.ts'
import { temporaryFolder } from '../support/server.ts'
import { SmtpClient, withLineEnd } from '../support/smtp-client.ts'
import { sha256 } from '../support/stored-mail.ts'
import type { HostileMail } from './hostile-mail.ts'

/** Processor time of one turn of the event loop that a person would not notice. */
const STALL_MS_MAX = 200
/** A turn may also collect garbage or compile. The best try is what the mail itself costs. */
const TRIES = 3
const DATA_LINE_BYTES_MAX = 1024 * 1024
/** Some mails have a thousand. */
const ATTACHMENTS_DOWNLOADED = 3

/** Sends each mail to a server of its own, reads it, and measures the server meanwhile. */
export async function deliverHostile(mails: HostileMail[]): Promise<void> {
  const dataDir = temporaryFolder()
  const server = await startChild({ environment: { DATA_DIR: dataDir }, nodeArguments: WITH_DELAYS })
  const sdk = new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })
  const client = await SmtpClient.connect(server.smtpPort)
  const stored: { name: string; message: MessageDetail; hash: string }[] = []
  let sent = 0

  async function deliver(name: string, raw: Uint8Array): Promise<void> {
    const tag = `h${sent++}`
    const reply = await client.send({ to: `qa+${tag}@mailhatch.test`, raw })
    expect({ name, reply }).toEqual({ name, reply: expect.stringMatching(/^250 /) })
    const message = await sdk.messages.waitFor({ tag })
    expect({ name, parse: message.parse }).toEqual({ name, parse: parseMail(raw).parse })
    stored.push({ name, message, hash: sha256(raw) })
  }

  async function download(path: string): Promise<Uint8Array> {
    const answer = await fetch(`${server.apiUrl}/v1/messages/${path}`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    })
    expect({ path, status: answer.status }).toEqual({ path, status: 200 })
    return new Uint8Array(await answer.arrayBuffer())
  }

  /** The bytes as they were sent, and every attachment with the size that the message says. */
  async function downloadAll() {
    const stalls: { name: string; stallMs: number }[] = []
    for (const { name, message, hash } of stored) {
      let stallMs = Infinity
      for (let attempt = 0; attempt < TRIES && stallMs > STALL_MS_MAX; attempt++) {
        expect({ name, hash: sha256(await download(`${message.id}/raw`)) }).toEqual({ name, hash })
        for (const { index, size } of message.attachments.slice(0, ATTACHMENTS_DOWNLOADED)) {
          const { byteLength } = await download(`${message.id}/attachments/${index}`)
          expect({ name, index, byteLength }).toEqual({ name, index, byteLength: size })
        }
        stallMs = Math.min(stallMs, await largestWorkMs(server))
      }
      stalls.push({ name: `download: ${name}`, stallMs: Math.round(stallMs) })
    }
    return stalls
  }

  await deliver('a first, harmless mail', Buffer.from('Subject: hello\r\n\r\nhello\r\n'))
  await largestWorkMs(server)

  const stalls: { name: string; stallMs: number }[] = []
  for (const { name, raw } of mails) {
    let stallMs = Infinity
    for (let attempt = 0; attempt < TRIES && stallMs > STALL_MS_MAX; attempt++) {
      await deliver(name, raw)
      // The same with DATA, which needs a line end and has a line limit.
      const asData = withLineEnd(raw)
      if (longestLine(asData) <= DATA_LINE_BYTES_MAX) await deliver(name, asData)
      stallMs = Math.min(stallMs, await largestWorkMs(server))
    }
    stalls.push({ name, stallMs: Math.round(stallMs) })
  }
  stalls.push(...(await downloadAll()))
  stalls.sort((a, b) => b.stallMs - a.stallMs)
  console.info(`${sent} mails, the longest turns of the event loop:`, stalls.slice(0, 3))
  expect(stalls.filter(({ stallMs }) => stallMs > STALL_MS_MAX)).toEqual([])

  expect(await server.stop()).toBe(0)
}

function longestLine(raw: Uint8Array): number {
  let longest = 0
  for (let start = 0; start < raw.length;) {
    const end = raw.indexOf(0x0a, start) + 1 || raw.length
    longest = Math.max(longest, end - start)
    start = end
  }
  return longest
}
