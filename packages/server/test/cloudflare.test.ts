import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { accept, cutDuring, delay, greylist, limit, reject, slow } from '@mailhatch/sdk'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import cloudflare from '../src/program/cloudflare.ts'
import { decodeMetadata, type Metadata } from '../src/worker/metadata.ts'
import { startJourneyWorkerd } from './support/journey-workerd.ts'
import { collectingContext, routedMail, watchedBinding } from './support/routed-mail.ts'
import { startServer, WEBHOOK_SECRET } from './support/server.ts'
import { keysIn, readObject, sha256 } from './support/stored-mail.ts'
import { ADMIN_TOKEN, describeWorkerJourney, oddMail, ROOT_DOMAIN } from './support/worker-journey.ts'

const MIB = 1024 * 1024
/** One for each of the four failures of a bucket. */
const MAILS = 4
/** More than one part. The largest mail is in cloudflare-answers.long.test.ts. */
const LARGE = { largeMebibytes: 9 }

const workerd = await startJourneyWorkerd({ webhookUrl: null, token: WEBHOOK_SECRET })
afterAll(() => workerd.close())

// The responses to announcements are in cloudflare-answers.long.test.ts, and on Node in node-worker.test.ts.
describeWorkerJourney('workerd', workerd.start, LARGE)

test('the bundle is one small file without Node modules', () => {
  const files = readdirSync(workerd.bundle).filter((file) => file.endsWith('.js'))
  expect(files).toEqual(['cloudflare.js'])
  const code = readFileSync(join(workerd.bundle, 'cloudflare.js'), 'utf8')
  expect(code.length).toBeLessThan(MIB)
  const outside = /^import\b.*$|^export\b.*\bfrom\b.*$|\b__require\(|\bimport\(|["']node:|\bBuffer\./gm
  expect(code.match(outside) ?? []).toEqual([])
  // The check can fail:
  expect(readFileSync(join(import.meta.dirname, '../src/program/cloudflare.ts'), 'utf8').match(outside)).not.toBeNull()
})

describe('mail through the local email trigger', () => {
  const secret = 'a-token-that-no-log-may-show'
  beforeAll(() => workerd.configure({ webhookUrl: 'api.example.com/webhooks/inbox', token: secret }))

  test('for a subdomain is stored under it, with its tag', async () => {
    const raw = oddMail('For a tenant')
    const to = `Qa+Sign-Up@Acme.${ROOT_DOMAIN}`
    await workerd.deliver({ to, raw })
    const [metadata] = await storedUnder(`acme.${ROOT_DOMAIN}/qa/`)
    expect(metadata).toMatchObject({
      domain: `acme.${ROOT_DOMAIN}`,
      tenantSubdomain: 'acme',
      mailbox: 'qa',
      mailboxWithTag: 'qa+sign-up',
      tag: 'sign-up',
      to,
      envelope: { rcptTo: to, helo: null, remoteAddress: null, tls: false, receivedVia: 'cloudflare' },
    })
    expect(sha256(await readObject(workerd.bucket, metadata!.rawKey))).toBe(sha256(raw))
  })

  test('for an invalid address is rejected permanently, and nothing is stored', async () => {
    const before = await keysIn(workerd.bucket)
    expect(await workerd.email({ to: `+tag@${ROOT_DOMAIN}`, raw: oddMail('To nobody') })).toMatchObject({
      outcome: 'ok',
      rejectReason: expect.stringContaining('5.1.3'),
    })
    expect(await keysIn(workerd.bucket)).toEqual(before)
  })

  test('with a WEBHOOK_URL without a scheme is kept, with a failed attempt that says so', async () => {
    await workerd.deliver({ to: `scheme@${ROOT_DOMAIN}`, raw: oddMail('Without a scheme') })
    await vi.waitUntil(async () => (await storedUnder(`${ROOT_DOMAIN}/scheme/`))[0]?.attempts === 1)
    const [metadata] = await storedUnder(`${ROOT_DOMAIN}/scheme/`)
    expect(metadata).toMatchObject({ lastStatus: null, lastError: expect.stringContaining('https://') })

    // The log describes the event as JSON, without the content of the mail and without secrets.
    const line = await vi.waitUntil(() => workerd.logs().find((text) => text.includes(metadata!.id)))
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', id: metadata!.id, reason: metadata!.lastError })
    expect(workerd.logs().join('\n')).not.toMatch(new RegExp(`${secret}|${ADMIN_TOKEN}|Without a scheme|shop.example`))
  })
})

describe('scenarios', () => {
  const start = async (scenarios: boolean, environment: Record<string, string> = { INBOX_WORKER: 'cloudflare' }) => {
    const { url, sdk, close } = await startServer(environment)
    await workerd.configure({ webhookUrl: `${url}/webhooks/inbox`, token: WEBHOOK_SECRET, scenarios })
    const { domain } = (await sdk.me()).team
    /** The reason of a refusal; null if the mail was accepted. */
    const send = async (to: string) => {
      const { outcome, rejectReason } = await workerd.email({ to, raw: oddMail('Scripted') })
      expect(outcome).toBe('ok')
      return rejectReason ?? null
    }
    return { sdk, domain, send, close }
  }
  const refused = reject(552, { at: 'after-data', enhanced: '5.2.2', text: 'Mailbox full' })

  test('refuse mail at the end with their text, as often as they say, and only for their address', async () => {
    const { sdk, domain, send, close } = await start(true)
    const inbox = await sdk.addresses.create()
    const script = await inbox.script([refused.times(2), accept()])
    const reasons: (string | null)[] = []
    for (let mail = 0; mail < 4; mail++) {
      reasons.push(await send(inbox.address))
      expect(await send(`plain@${domain}`)).toBeNull()
    }
    expect(reasons).toEqual(['5.2.2 Mailbox full', '5.2.2 Mailbox full', null, null])
    expect((await script.state()).mailsPerStep).toEqual([2, 2])
    await inbox.waitFor()
    await inbox.waitFor()
    expect(await inbox.messages()).toHaveLength(2)
    await script.end()
    await inbox.script([refused])
    await close()
    // The next step is unknown now.
    expect(await send(inbox.address)).toBeNull()
  })

  test('accept mail as usual at steps that Email Routing cannot do', async () => {
    const { sdk, send } = await start(true, {})
    const inbox = await sdk.addresses.create()
    const impossible = [reject(550), reject(550, { at: 'data' }), reject(451, { at: 'after-data' }), cutDuring('data')]
    const script = await inbox.script([...impossible, refused])
    for (const _ of impossible) expect(await send(inbox.address)).toBeNull()
    expect(await send(inbox.address)).toBe('5.2.2 Mailbox full')
    expect(await script.state()).toMatchObject({ mails: impossible.length + 1 })
  })

  test('are not asked for if they are off', async () => {
    const { sdk, send } = await start(false)
    const inbox = await sdk.addresses.create()
    const script = await inbox.script([refused])
    expect(await send(inbox.address)).toBeNull()
    expect((await script.state()).mails).toBe(0)
  })

  test('with steps that Email Routing cannot do are refused by an API with INBOX_WORKER=cloudflare', async () => {
    const { sdk } = await startServer({ INBOX_WORKER: 'cloudflare' })
    const inbox = await sdk.addresses.create()
    const impossible = [
      reject(451, { at: 'after-data' }),
      reject(550),
      reject(550, { at: 'data' }),
      delay('1s', { at: 'after-data' }),
      cutDuring('after-data'),
      greylist('1s'),
      limit(1, '1s'),
      slow(10_000),
    ]
    for (const step of impossible) {
      await expect(inbox.script([refused, step])).rejects.toMatchObject({
        status: 422,
        code: 'scenario_unsupported',
        message: expect.stringContaining('Step 2 is not possible with mail that comes through Cloudflare'),
      })
    }
    expect(await sdk.scenarios.list()).toEqual([])
    await inbox.script([refused, accept()])
  })
})

/** Cases that the local trigger does not allow, or that need our own source and bucket: real R2, our own mail. */
describe('the email handler', () => {
  const bindings = { EMAIL_DOMAIN: ROOT_DOMAIN }

  test('accepts mail without a sender and without a Message-ID', async () => {
    const { message, seen } = routedMail({
      to: `bounce@${ROOT_DOMAIN}`,
      from: '',
      raw: Buffer.from('Subject: Undelivered\r\n\r\nno\r\n'),
    })
    const { context } = collectingContext()
    await cloudflare.email(message, { ...bindings, INBOX_STORAGE: await workerd.binding() }, context)
    expect(seen.rejection).toBeNull()
    const [metadata] = await storedUnder(`${ROOT_DOMAIN}/bounce/`)
    expect(metadata).toMatchObject({ from: '', subject: 'Undelivered', envelope: { mailFrom: '' } })
  })

  test.each([
    ['a byte more than 25 MiB', { to: `over@${ROOT_DOMAIN}`, rawSize: 25 * MIB + 1 }, /^5\.3\.4 /],
    ['a local part that is too long', { to: `${'x'.repeat(65)}@${ROOT_DOMAIN}` }, /^5\.1\.3 /],
    ['no domain', { to: 'over' }, /^5\.1\.3 /],
  ])('rejects %s without reading it', async (_, given, reason) => {
    const { message, seen } = routedMail({ raw: oddMail('Refused'), ...given })
    const { context } = collectingContext()
    await cloudflare.email(message, { ...bindings, INBOX_STORAGE: await workerd.binding() }, context)
    expect(seen).toEqual({ rejection: expect.stringMatching(reason), pulledBytes: 0 })
    expect(await storedUnder(`${ROOT_DOMAIN}/over/`)).toEqual([])
  })

  test.each([4.5, 12])('buffers at most 8 MiB of %d MiB that are not stored yet', async (mebibytes) => {
    const raw = Buffer.alloc(mebibytes * MIB, 'From: a@shop.example\r\nSubject: Long\r\n\r\n')
    const { message, seen } = routedMail({ to: `stream${raw.length}@${ROOT_DOMAIN}`, raw })
    let storedBytes = 0
    let unstoredBytesMax = 0
    const binding = watchedBinding(await workerd.binding(), async (key, bytes, store) => {
      if (!key.startsWith('raw/')) return store()
      unstoredBytesMax = Math.max(unstoredBytesMax, seen.pulledBytes - storedBytes)
      const stored = await store()
      storedBytes += bytes?.byteLength ?? 0
      return stored
    })
    const { context } = collectingContext()
    await cloudflare.email(message, { ...bindings, INBOX_STORAGE: binding }, context)
    expect(storedBytes).toBe(raw.byteLength)
    expect(unstoredBytesMax).toBeGreaterThan(4 * MIB)
    expect(unstoredBytesMax).toBeLessThanOrEqual(8 * MIB)
    const [metadata] = await storedUnder(`${ROOT_DOMAIN}/stream${raw.length}/`)
    expect(metadata).toMatchObject({ subject: 'Long', rawSize: raw.byteLength })
    expect((await (await workerd.binding()).head(metadata!.rawKey))!.size).toBe(raw.byteLength)
  })

  test('resolves after both writes, and before the API has responded', async () => {
    const events: string[] = []
    const binding = watchedBinding(await workerd.binding(), async (key, _bytes, store) => {
      const stored = await store()
      events.push(`stored ${key.split('/')[0]}`)
      return stored
    })
    const answered = Promise.withResolvers<void>()
    const api = await startHeldApi(answered.promise)
    const { context, finished } = collectingContext()
    const { message } = routedMail({ to: `order@${ROOT_DOMAIN}`, raw: oddMail('In order') })
    const webhook = { WEBHOOK_URL: api, WEBHOOK_AUTH_TOKEN: 'token' }
    await cloudflare.email(message, { ...bindings, ...webhook, INBOX_STORAGE: binding }, context)
    events.push('accepted')
    answered.resolve()
    await finished()
    expect(events).toEqual(['stored raw', 'stored messages', 'accepted', 'stored messages'])
    expect(await keysIn(workerd.bucket, `messages/processed/${ROOT_DOMAIN}/order/`)).toHaveLength(1)
  })

  test('throws if a mail ends early, and keeps nothing of it', async () => {
    const raw = oddMail('Cut off')
    for (const rawSize of [raw.byteLength + 1, 10 * MIB]) {
      const { message, seen } = routedMail({ to: `cut@${ROOT_DOMAIN}`, raw, rawSize })
      const { context } = collectingContext()
      const INBOX_STORAGE = await workerd.binding()
      await expect(cloudflare.email(message, { ...bindings, INBOX_STORAGE }, context)).rejects.toThrow(
        /shorter than its declared size/,
      )
      expect(seen.rejection).toBeNull()
    }
    expect(await keysIn(workerd.bucket, `raw/${ROOT_DOMAIN}/cut/`)).toEqual([])
  })

  test('throws for every mail while the bucket fails, and stores each once when it works again', async () => {
    const binding = await workerd.binding()
    let isBroken = true
    let count = 0
    // In turn for the raw mail and for the metadata, before and after the bytes are stored.
    const failing = watchedBinding(binding, async (key, _bytes, store) => {
      if (!isBroken) return store()
      const [isForRaw, isAfter] = [count % 2 === 0, count % 4 > 1]
      if (key.startsWith('raw/') !== isForRaw) return store()
      if (isAfter) await store()
      throw new Error('R2 is in trouble')
    })
    const deliver = async () => {
      const { message, seen } = routedMail({ to: `mended+${count}@${ROOT_DOMAIN}`, raw: oddMail(`Mail ${count}`) })
      const { context } = collectingContext()
      await cloudflare.email(message, { ...bindings, INBOX_STORAGE: failing }, context).finally(() => {
        expect(seen.rejection).toBeNull()
      })
    }
    for (count = 0; count < MAILS; count++) await expect(deliver()).rejects.toThrow('R2 is in trouble')
    expect(await keysIn(workerd.bucket, `raw/${ROOT_DOMAIN}/mended/`)).toEqual([])
    expect(await storedUnder(`${ROOT_DOMAIN}/mended/`)).toEqual([])

    isBroken = false
    for (count = 0; count < MAILS; count++) await deliver()
    const tags = (await storedUnder(`${ROOT_DOMAIN}/mended/`)).map(({ tag }) => Number(tag))
    expect(tags.toSorted((a, b) => a - b)).toEqual(Array.from({ length: MAILS }, (_, number) => number))
    expect(await keysIn(workerd.bucket, `raw/${ROOT_DOMAIN}/mended/`)).toHaveLength(MAILS)
  })
})

/** Responds with 200 on demand. Resolves to its URL. */
async function startHeldApi(answered: Promise<void>): Promise<string> {
  const server = createServer((_, response) => void answered.then(() => response.end('{}'))).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function storedUnder(place: string): Promise<Metadata[]> {
  const keys = await keysIn(workerd.bucket, `messages/unprocessed/${place}`)
  return Promise.all(keys.map(async (key) => decodeMetadata(await readObject(workerd.bucket, key))))
}
