import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startFileServer } from './support/file-server.ts'
import { SmtpClient } from './support/smtp-client.ts'

/** More than the kernel buffers for a reader, so that some of it waits in the server. */
const ATTACHMENT_BYTES = 16 * 1024 * 1024
/** Much longer than a download takes, shorter than an unread connection is kept. */
const SOON_MS = 25_000
const DOWNLOADS_MAX = 20

const server = await startFileServer()
const { url, apiKey } = server
const { name: teamName } = (await server.me()).team
const newKey = async () => (await server.command<{ key: string }>('keys', 'create', '--team', teamName)).key

/** Lines of text, because decoding base64 for each download takes most of the time. */
const bytes = Buffer.alloc(ATTACHMENT_BYTES, `${randomBytes(499).toString('hex')}\r\n`)
const id = await sendLarge()

async function sendLarge(): Promise<string> {
  const head = 'Subject: large\r\nMIME-Version: 1.0\r\nContent-Type: application/octet-stream; name=a.bin\r\n'
  const raw = Buffer.concat([Buffer.from(`${head}Content-Transfer-Encoding: 7bit\r\n\r\n`), bytes])
  const client = await SmtpClient.connect(server.smtpPort)
  expect(await client.send({ to: 'qa+large@mailhatch.test', raw })).toMatch(/^250 /)
  client.close()
  return (await server.latest('tag=large&wait=20')).data.id
}

/** Sends a request and reads only the start of the response. Repeated, because a slot may be released with a delay. */
async function hold(path: string, key: string): Promise<Socket> {
  return vi.waitFor(async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    const [begin] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    expect(begin.toString('latin1', 0, 12)).toBe('HTTP/1.1 200')
    return socket
  })
}

/** Sends a request and never reads. */
async function neverRead(path: string, key: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause()
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
}

function download(path: string, key: string): Promise<Response> {
  const signal = AbortSignal.timeout(SOON_MS)
  return fetch(url + path, { headers: { authorization: `Bearer ${key}` }, signal })
}

test('downloads that are never read do not block others', async () => {
  const path = `/v1/messages/${id}/attachments/0`
  const [one, other] = [await newKey(), await newKey()]
  for (let count = 0; count < DOWNLOADS_MAX; count++) await neverRead(path, one)
  const answer = await download(path, other)
  expect(answer.status).toBe(200)
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
})

test('limit: a key has 20 concurrent downloads, and another one when one has ended', async () => {
  const path = `/v1/messages/${id}/raw`
  const key = await newKey()
  const held: Socket[] = []
  for (let count = 1; count < DOWNLOADS_MAX; count++) held.push(await hold(path, key))
  // The 20th is read to its end, so another one takes its slot.
  await vi.waitFor(async () => expect((await (await download(path, key)).arrayBuffer()).byteLength).toBeGreaterThan(1))
  held.push(await hold(path, key))
  const refused = await vi.waitFor(async () => {
    const answer = await download(path, key)
    if (answer.status !== 429) await answer.body?.cancel()
    expect(answer.status).toBe(429)
    return answer
  })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
  expect((await download(path, apiKey)).status).toBe(200)
  held[0]!.destroy()
  await vi.waitFor(async () => {
    const answer = await download(path, key)
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  })
})
