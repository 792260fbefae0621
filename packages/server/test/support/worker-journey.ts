import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { metadataKey, metadataPrefix, rawKey } from '../../src/domain/object-keys.ts'
import { isRetriedAutomatically } from '../../src/domain/retry.ts'
import type { Running } from '../../src/program/node.ts'
import { decodeMetadata, refusalOf, type Metadata } from '../../src/worker/metadata.ts'
import { API_KEY } from './child-server.ts'
import { freePort } from './free-port.ts'
import { serveIn, WEBHOOK_SECRET } from './server.ts'
import type { OutgoingMail } from './smtp-client.ts'
import { keysIn, readObject } from './stored-mail.ts'

export const ADMIN_TOKEN = 'admin-token-of-the-tests'
export const ROOT_DOMAIN = 'in.mailhatch.test'

/** The largest mail. */
const LARGE_MEBIBYTES = 25

/** `scenarios`: only on Cloudflare, where they are off by default. */
export type JourneySettings = { webhookUrl: string | null; token: string; scenarios?: boolean }

/** An inbox worker on any runtime. */
export type JourneyWorker = {
  bucket: Pick<Bucket, 'get' | 'list' | 'put'>
  /** Resolves when the sender has received the 250. */
  deliver(mail: OutgoingMail): Promise<void>
  /** What the clock does, where it does not run by itself. */
  sweep(): Promise<void>
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Stored mail stays. */
  configure(settings: JourneySettings): Promise<void>
  close(): Promise<void>
}

/** From delivery to the API, and each row of the table of states, against one worker that `start` starts. */
export function describeWorkerJourney(
  name: string,
  start: (settings: JourneySettings) => Promise<JourneyWorker>,
  { largeMebibytes = LARGE_MEBIBYTES } = {},
): void {
  describe(`inbox worker on ${name}`, () => {
    let worker: JourneyWorker
    let api: ReturnType<typeof apiOn>
    let current: JourneySettings = { webhookUrl: null, token: WEBHOOK_SECRET }

    beforeAll(async () => {
      api = apiOn(await freePort())
      worker = await start(current)
    })
    afterAll(async () => {
      await worker.close()
      await api.remove()
    })

    test('new → unprocessed: without WEBHOOK_URL a mail is only stored, and a retry says why', async () => {
      await use({ webhookUrl: null })
      await worker.deliver({ to: `kept@${ROOT_DOMAIN}`, raw: oddMail('Kept') })
      const metadata = await metadataOf('kept')
      expect(metadata).toMatchObject({ status: 'unprocessed', attempts: 0, lastAttemptAt: null, subject: 'Kept' })
      expect(await keysOf('kept')).toEqual([metadataKey('unprocessed', metadata), metadata.rawKey])
      expect(await retry('kept', metadata.id)).toMatchObject({ status: 409, body: { error: 'Webhook not configured' } })
    })

    test('new → unprocessed → processed: a mail is stored under its keys, announced, and can be read', async () => {
      await api.start()
      await api.createMailbox('arrives')
      await use({})
      const raw = oddMail('It arrives')
      await worker.deliver({ to: `Arrives+Order.7@${ROOT_DOMAIN}`, raw })

      const message = await api.sdk.messages.waitFor({ mailbox: 'arrives', tag: 'order.7' })
      expect(message).toMatchObject({
        from: 'app@shop.example',
        to: `Arrives+Order.7@${ROOT_DOMAIN}`,
        subject: 'It arrives',
        domain: ROOT_DOMAIN,
        tenantSubdomain: null,
        mailboxWithTag: 'arrives+order.7',
        size: raw.byteLength,
        parse: 'complete',
      })
      const stored = { domain: ROOT_DOMAIN, mailbox: 'arrives', id: message.id }
      await becomesProcessed('arrives')
      expect(await keysOf('arrives')).toEqual([metadataKey('processed', stored), rawKey(stored)])
      expect(await readObject(worker.bucket, rawKey(stored))).toEqual(new Uint8Array(raw))
      expect(await metadataOf('arrives')).toMatchObject({
        id: message.id,
        status: 'processed',
        rawSize: raw.byteLength,
        rawKey: rawKey(stored),
        lastError: null,
        envelope: { mailFrom: 'app@shop.example', rcptTo: `Arrives+Order.7@${ROOT_DOMAIN}` },
      })
    })

    test('unprocessed → unprocessed: refused mail stays; an admin retry is refused or moves it', async () => {
      await api.start()
      await use({})
      const raw = oddMail('Nobody there yet')
      await worker.deliver({ to: `later@${ROOT_DOMAIN}`, raw })
      const refused = await attempted('later', 1)
      expect(refused).toMatchObject({ status: 'unprocessed', lastStatus: 404 })

      // The sweep leaves it to an operator: mail refused today must not reach another team tomorrow.
      await worker.sweep()
      expect(await metadataOf('later')).toEqual(refused)
      expect(await retry('later', refused.id)).toMatchObject({
        status: 502,
        body: { ok: false, status: 'unprocessed', webhookStatus: 404 },
      })
      expect(await metadataOf('later')).toMatchObject({ status: 'unprocessed', attempts: 2 })
      expect(await readObject(worker.bucket, refused.rawKey)).toEqual(new Uint8Array(raw))

      await api.createMailbox('later')
      expect(await retry('later', refused.id)).toEqual({ status: 200, body: { ok: true, status: 'processed' } })
      expect(await keysOf('later')).toEqual([metadataKey('processed', refused), refused.rawKey])
      expect(await api.sdk.messages.get(refused.id)).toMatchObject({ subject: 'Nobody there yet' })
      expect(await retry('later', refused.id)).toMatchObject({ status: 409, body: { error: 'Already processed' } })
    })

    test('unprocessed → unprocessed → processed: while the API is down mail stays, and the sweep moves it', async () => {
      // The mailbox exists before the API is back. Otherwise an early attempt would be refused for good.
      await api.start()
      await api.createMailbox('patient')
      await api.stop()
      await use({})
      const raw = oddMail('Sent while nobody listened')
      await worker.deliver({ to: `patient@${ROOT_DOMAIN}`, raw })
      const failed = await attempted('patient', 1)
      expect(failed).toMatchObject({
        status: 'unprocessed',
        lastError: expect.stringMatching(/fetch failed|ECONNREFUSED/),
      })
      // No response; the network of a local workerd responds with 500 instead.
      expect(failed).toSatisfy((metadata: Metadata) => isRetriedAutomatically(refusalOf(metadata)))
      expect(await readObject(worker.bucket, failed.rawKey)).toEqual(new Uint8Array(raw))

      await api.start()
      await becomesProcessed('patient')
      expect(await api.sdk.messages.get(failed.id)).toMatchObject({ subject: 'Sent while nobody listened' })
      expect((await api.sdk.messages.list({ mailbox: 'patient' })).data).toHaveLength(1)
    })

    test('unprocessed → unprocessed → processed: a wrong token is a 401, and a retry with the right one succeeds', async () => {
      await api.start()
      await api.createMailbox('locked')
      await use({ token: 'not-the-token-of-the-api' })
      await worker.deliver({ to: `locked@${ROOT_DOMAIN}`, raw: oddMail('Behind a lock') })
      const refused = await attempted('locked', 1)
      expect(refused).toMatchObject({ status: 'unprocessed', lastStatus: 401 })
      expect(await retry('locked', refused.id)).toMatchObject({ status: 502, body: { webhookStatus: 401 } })

      await use({})
      // A worker with its own clock may have done so already.
      expect([200, 409]).toContain((await retry('locked', refused.id)).status)
      expect(await metadataOf('locked')).toMatchObject({ status: 'processed', lastError: null })
      expect(await api.sdk.messages.get(refused.id)).toMatchObject({ subject: 'Behind a lock' })
    })

    test(`a mail of ${largeMebibytes} MiB is stored byte for byte, and announced within the limits of bodies`, async () => {
      await api.start()
      await api.createMailbox('large')
      await use({})
      const raw = largeMail(largeMebibytes * 1024 * 1024)
      await worker.deliver({ to: `large@${ROOT_DOMAIN}`, raw })

      const message = await api.sdk.messages.waitFor({ mailbox: 'large' })
      expect(message).toMatchObject({ subject: 'A large one', size: raw.byteLength, parse: 'partial' })
      expect(message.textContent).toHaveLength(1024 * 1024)
      const download = await admin(`/admin/inboxes/large/messages/${message.id}/raw`)
      expect(Buffer.from(await download.arrayBuffer()).equals(raw)).toBe(true)
    })

    /** Valid settings except those given. Restarting a worker takes a while. */
    async function use(different: Partial<JourneySettings>): Promise<void> {
      const wanted = { webhookUrl: api.webhookUrl, token: WEBHOOK_SECRET, ...different }
      if (wanted.webhookUrl === current.webhookUrl && wanted.token === current.token) return
      current = wanted
      await worker.configure(wanted)
    }

    /** The objects of one mailbox: metadata first. */
    async function keysOf(mailbox: string): Promise<string[]> {
      const prefixes = [
        metadataPrefix('processed', ROOT_DOMAIN, mailbox),
        metadataPrefix('unprocessed', ROOT_DOMAIN, mailbox),
        `raw/${ROOT_DOMAIN}/${mailbox}/`,
      ]
      return (await Promise.all(prefixes.map((prefix) => keysIn(worker.bucket, prefix)))).flat()
    }

    /** The metadata of the only mail in a mailbox. */
    async function metadataOf(mailbox: string): Promise<Metadata> {
      const [key] = await keysOf(mailbox)
      return decodeMetadata(await readObject(worker.bucket, key!))
    }

    async function attempted(mailbox: string, attempts: number): Promise<Metadata> {
      await vi.waitUntil(async () => (await metadataOf(mailbox)).attempts >= attempts, WAIT)
      return metadataOf(mailbox)
    }

    async function becomesProcessed(mailbox: string): Promise<void> {
      const hasMoved = async () => {
        await worker.sweep()
        // Not read, because a listed object may have moved by then.
        const keys = await keysOf(mailbox)
        return keys.length === 2 && keys[0]!.startsWith(metadataPrefix('processed', ROOT_DOMAIN, mailbox))
      }
      await vi.waitUntil(hasMoved, WAIT)
    }

    function admin(path: string, init: RequestInit = {}): Promise<Response> {
      return worker.fetch(path, { ...init, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
    }

    async function retry(mailbox: string, id: string): Promise<{ status: number; body: unknown }> {
      const answer = await admin(`/admin/inboxes/${mailbox}/messages/${id}/webhook`, { method: 'POST' })
      return { status: answer.status, body: await answer.json() }
    }
  })
}

const WAIT = { interval: 100 }

/** A real API, whose team has its mailboxes on the root domain. It keeps its data until it is removed. */
function apiOn(port: number) {
  const url = `http://127.0.0.1:${port}`
  const dataDir = mkdtempSync(join(tmpdir(), 'mailhatch-api-'))
  const settings = { PORT: String(port), BOOTSTRAP_API_KEY: API_KEY, BOOTSTRAP_DOMAIN: '' }
  let running: Running | null = null
  const stop = async () => {
    await running?.close()
    running = null
  }
  return {
    webhookUrl: `${url}/webhooks/inbox`,
    sdk: new Mailhatch({ url, apiKey: API_KEY }),
    /** Does nothing if it runs. */
    async start(): Promise<void> {
      running ??= await serveIn(dataDir, settings)
    },
    stop,
    async remove(): Promise<void> {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
    async createMailbox(name: string): Promise<void> {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/v1/mailboxes`, { method: 'POST', headers, body: JSON.stringify({ name }) })
      expect(answer.status).toBe(201)
    },
  }
}

/** Bytes that careless receivers change: beyond ASCII, a bare line feed, a NUL, lines of dots. */
export function oddMail(subject: string): Buffer {
  const head = `From: App <app@shop.example>\r\nSubject: ${subject}\r\nMessage-ID: <${subject.length}@shop.example>\r\n`
  return Buffer.from(`${head}\r\n.\r\n..two\r\nbare\nfeed\n.\nh\xe9llo \xff\xfe \0 end\r\n`, 'latin1')
}

/** Two MiB of text, then an attachment for the rest. */
function largeMail(size: number): Buffer {
  const head =
    'From: app@shop.example\r\nSubject: A large one\r\nMessage-ID: <large@shop.example>\r\nMIME-Version: 1.0\r\n' +
    'Content-Type: multipart/mixed; boundary=edge\r\n\r\n--edge\r\nContent-Type: text/plain\r\n\r\n'
  const text = `${'A line of text. '.repeat(60)}\r\n`.repeat(2_200)
  const attached =
    '--edge\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a.bin\r\n\r\n'
  const end = '\r\n--edge--\r\n'
  const mail = Buffer.alloc(size, `${'x'.repeat(998)}\r\n`, 'latin1')
  mail.write(head + text + attached, 0, 'latin1')
  mail.write(end, size - end.length, 'latin1')
  return mail
}
