import { Mailhatch, type Announcement } from '@mailhatch/sdk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import type { Log } from '../src/observe/log.ts'
import { createLogger } from '../src/observe/logger.ts'
import { startApi, startWorker } from '../src/program/node.ts'
import { announcement, post } from './support/announce.ts'
import { ask } from './support/ask.ts'
import { openBrowser } from './support/browser.ts'
import { openEvents } from './support/event-stream.ts'
import { withDatabase } from './support/journey-database.ts'
import { connectOverHttp } from './support/mcp-client.ts'
import { callProcedure } from './support/procedure.ts'
import { startServer, temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'
import { ConnectionLost } from './support/smtp-replies.ts'

const PROBLEM = 'the server is overloaded'
const BUSY = { status: 503, body: { code: 'server_busy' } }
const RAW = Buffer.from('Subject: On an open connection\r\n\r\nHello\r\n')

type Found = { data: object | object[] }

function createLoad() {
  const load = {
    isTooMuch: false,
    isShortOfMemory: false,
    isWatched: true,
    isOverloaded: () => load.isTooMuch,
    isMemoryShort: () => load.isShortOfMemory,
    close() {
      load.isWatched = false
    },
  }
  return load
}

/** A server that is overloaded when the test says so. */
async function startLoaded(environment: Record<string, string> = {}) {
  const load = createLoad()
  const server = await startServer(environment, Date.now, load)
  return { ...server, load }
}

/** The readiness of a worker, whose format is not the API's. */
async function readiness(workerUrl: string): Promise<[status: number, body: unknown]> {
  const response = await fetch(`${workerUrl}/ready`)
  return [response.status, await response.json()]
}

describe('during an overload', () => {
  test('SMTP refuses new connections, continues open ones, and accepts new ones afterwards', async () => {
    const { load, sdk, sendMail, smtpPort, workerUrl } = await startLoaded()
    const open = await SmtpClient.connect(smtpPort)
    load.isTooMuch = true
    await expect(sendMail({ to: 'qa@mailhatch.test', subject: 'Refused' })).rejects.toMatchObject({
      responseCode: 421,
      response: expect.stringContaining('Server is busy, try again later'),
    })
    expect(await open.send({ to: 'qa@mailhatch.test', raw: RAW })).toMatch(/^250 /)
    await vi.waitFor(async () => expect(await subjects()).toEqual(['On an open connection']))
    expect(await readiness(workerUrl)).toEqual([503, { ok: false, troubles: [PROBLEM] }])
    load.isTooMuch = false
    await sendMail({ to: 'qa@mailhatch.test', subject: 'Taken' })
    await vi.waitFor(async () => expect(await subjects()).toEqual(['Taken', 'On an open connection']))
    expect(await readiness(workerUrl)).toEqual([200, { ok: true, troubles: [] }])
    open.close()

    async function subjects() {
      return (await sdk.messages.list()).data.map(({ subject }) => subject)
    }
  })

  test('writes are refused with 503 and Retry-After, and reads are served', async () => {
    const { load, url, apiKey: key } = await startLoaded({ METRICS: 'on' })
    const mail = announcement()
    const json = { key, headers: { 'content-type': 'application/json' } }
    const writes: [name: string, allowed: number, write: () => ReturnType<typeof ask>][] = [
      ['POST', 201, () => ask(`${url}/v1/mailboxes`, { ...json, method: 'POST', body: '{"name":"login"}' })],
      ['announcement', 200, () => post(url, mail)],
      ['PATCH', 404, () => ask(`${url}/v1/mailboxes/nothing`, { ...json, method: 'PATCH', body: '{"name":"other"}' })],
      ['DELETE', 200, () => ask(`${url}/v1/messages/${mail.id}`, { key, method: 'DELETE' })],
      ['sign-in', 400, () => ask(`${url}/auth/link`, { ...json, method: 'POST', body: '{"token":"unknown"}' })],
    ]
    const reads = ['/v1/messages', '/v1/me', '/v1/mailboxes', '/v1/rejections', '/health', '/openapi.json']

    load.isTooMuch = true
    for (const [name, , write] of writes) {
      const answer = await write()
      expect(answer, name).toMatchObject(BUSY)
      expect(answer.headers.get('retry-after')).toBe('2')
    }
    for (const path of reads) expect((await ask(url + path, { key })).status, path).toBe(200)
    expect(await ask(`${url}/ready`)).toMatchObject({ status: 503, body: { troubles: [PROBLEM] } })
    expect(await gauge()).toBe('1')

    load.isTooMuch = false
    for (const [name, allowed, write] of writes) expect((await write()).status, name).toBe(allowed)
    for (const path of reads) expect((await ask(url + path, { key })).status, path).toBe(200)
    expect((await ask(`${url}/ready`)).status).toBe(200)
    expect(await gauge()).toBe('0')

    async function gauge() {
      return /^mailhatch_overloaded (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
    }
  })

  test.each(['/v1/messages/latest', '/v1/messages'])(
    'a wait at %s is held, but refused if memory is short; existing messages are found, and held waits continue',
    async (path) => {
      const { load, url, apiKey: key } = await startLoaded({ METRICS: 'on' })
      const wait = (tag: string) => ask<Found>(`${url}${path}?tag=${tag}&after=c0&wait=60`, { key })
      const { id } = await announce('here')
      const held = wait('later')
      await vi.waitFor(async () => expect(await heldWaits()).toBe('1'))
      load.isTooMuch = true
      const heldBesides = wait('besides')
      await vi.waitFor(async () => expect(await heldWaits()).toBe('2'))
      load.isShortOfMemory = true
      const refused = await wait('missing')
      expect(refused).toMatchObject(BUSY)
      expect(refused.headers.get('retry-after')).toBe('2')
      expect(await wait('here')).toMatchObject({ status: 200 })
      expect([(await wait('here')).body.data].flat()).toMatchObject([{ id }])
      load.isTooMuch = load.isShortOfMemory = false
      const later = await announce('later')
      expect([(await held).body.data].flat()).toMatchObject([{ id: later.id }])
      const besides = await announce('besides')
      expect([(await heldBesides).body.data].flat()).toMatchObject([{ id: besides.id }])
      const again = wait('missing')
      await vi.waitFor(async () => expect(await heldWaits()).toBe('1'))
      const missing = await announce('missing')
      expect([(await again).body.data].flat()).toMatchObject([{ id: missing.id }])

      async function announce(tag: string): Promise<Announcement> {
        const mail = announcement({ tag, mailboxWithTag: `qa+${tag}` })
        expect((await post(url, mail)).status).toBe(200)
        return mail
      }

      async function heldWaits() {
        return /^mailhatch_waits_held (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
      }
    },
  )

  test('a new stream is refused, and an open one continues', async () => {
    const { load, url, apiKey: key, smtpPort } = await startLoaded()
    const stream = `${url}/v1/messages/stream`
    const sender = await SmtpClient.connect(smtpPort)
    const open = await openEvents(stream, { key })
    expect(open.status).toBe(200)
    load.isTooMuch = true
    const refused = await ask(stream, { key })
    expect(refused).toMatchObject(BUSY)
    expect(refused.headers.get('retry-after')).toBe('2')
    await sender.send({ to: 'qa@mailhatch.test', raw: RAW })
    await vi.waitFor(() => expect(open.subjects()).toEqual(['On an open connection']))
    load.isTooMuch = false
    expect((await openEvents(stream, { key })).status).toBe(200)
    sender.close()
  })

  test('the SDK retries refused requests automatically', async () => {
    const { load, url, apiKey, sendMail } = await startLoaded()
    const refused = new Set<string>()
    const sdk = new Mailhatch({
      url,
      apiKey,
      async fetch(...request) {
        const response = await fetch(...request)
        if (response.status === 503) refused.add(new URL(response.url).pathname)
        return response
      },
    })
    load.isTooMuch = load.isShortOfMemory = true
    const waiting = sdk.messages.waitFor({ tag: 'later' })
    const creating = sdk.mailboxes.create('login')
    await vi.waitFor(() => expect([...refused].sort()).toEqual(['/v1/mailboxes', '/v1/messages/latest']))
    load.isTooMuch = load.isShortOfMemory = false
    expect(await creating).toMatchObject({ name: 'login' })
    await sendMail({ to: 'qa+later@mailhatch.test', subject: 'Later' })
    expect((await waiting).subject).toBe('Later')
  })

  test('procedures that change or follow something are refused in their own format, and others are served', async () => {
    const { load, url, signInToken } = await startLoaded()
    const browser = openBrowser(url)
    expect((await browser.post('/auth/link', { token: signInToken })).status).toBe(200)
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, origin: url }
    const create = () =>
      callProcedure(url, { path: 'inbox.mailboxes.create', type: 'mutation', input: { name: 'login' }, headers })
    const follow = () =>
      callProcedure(url, { path: 'inbox.messages.follow', type: 'subscription', input: { after: 'c0' }, headers })
    const list = () => callProcedure(url, { path: 'inbox.messages.list', type: 'query', headers })
    expect((await post(url, announcement())).status).toBe(200)
    load.isTooMuch = true
    expect(await create()).toMatchObject({ status: 503, code: 'server_busy' })
    // Within a stream, only the code tells.
    expect((await follow()).code).toBe('server_busy')
    expect(await list()).toMatchObject({ status: 200, code: 'ok' })
    load.isTooMuch = false
    for (const call of [create, follow, list]) expect(await call()).toMatchObject({ status: 200, code: 'ok' })
  })

  test('agents can still read, and are told why they cannot write', async () => {
    const { load, url, apiKey } = await startLoaded()
    const mail = announcement()
    expect((await post(url, mail)).status).toBe(200)
    const { call } = await connectOverHttp({ url, apiKey })
    load.isTooMuch = true
    expect((await call('list_emails')).data.emails).toMatchObject([{ id: mail.id }])
    const refused = await call('delete_email', { id: mail.id })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('overloaded') })
    load.isTooMuch = false
    expect((await call('delete_email', { id: mail.id })).isError).toBe(false)
  })
})

describe('API and worker in separate programs', () => {
  test('a worker accepts mail for an overloaded API, and announces it later', async () => {
    const api = await startLoaded()
    const load = createLoad()
    const log = { debug: () => {}, info: () => {}, warn: vi.fn<Log['warn']>(), error: () => {} }
    const settings = {
      DATA_DIR: temporaryFolder(),
      WORKER_PORT: '0',
      SMTP_PORT: '0',
      DISK_FREE_MIN: '0',
      EMAIL_DOMAIN: 'mailhatch.test',
      WEBHOOK_URL: `${api.url}/webhooks/inbox`,
      WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
      METRICS: 'on',
    }
    const worker = await startWorker(readConfig('worker', settings), log, { overload: load })
    onTestFinished(() => worker.close())
    const workerUrl = `http://127.0.0.1:${worker.workerPort}`
    api.load.isTooMuch = true
    const sender = await SmtpClient.connect(worker.smtpPort!)
    expect(await sender.send({ to: 'qa@mailhatch.test', raw: RAW })).toMatch(/^250 /)
    const refusal = { status: 503, reason: expect.stringContaining('server_busy') }
    await vi.waitFor(() =>
      expect(log.warn).toHaveBeenCalledWith(expect.objectContaining(refusal), 'an announcement was refused'),
    )
    expect((await api.sdk.messages.list()).data).toEqual([])
    api.load.isTooMuch = false
    await vi.waitFor(async () => expect((await api.sdk.messages.list()).data).toHaveLength(1))

    load.isTooMuch = true
    await expect(SmtpClient.connect(worker.smtpPort!)).rejects.toBeInstanceOf(ConnectionLost)
    expect(await readiness(workerUrl)).toEqual([503, { ok: false, troubles: [PROBLEM] }])
    expect(await (await fetch(`${workerUrl}/metrics`)).text()).toMatch(/^mailhatch_overloaded 1$/m)
    load.isTooMuch = false
    const another = await SmtpClient.connect(worker.smtpPort!)
    expect(await readiness(workerUrl)).toEqual([200, { ok: true, troubles: [] }])
    for (const client of [sender, another]) client.close()
  })

  test('an API reports its own overload, and stops watching when it stops', async () => {
    const load = createLoad()
    const settings = await withDatabase({ DATA_DIR: temporaryFolder(), PORT: '0' })
    const log = createLogger('silent', false)
    const api = await startApi(readConfig('api', settings), log, { overload: load })
    onTestFinished(() => api.close())
    const ready = () => ask(`http://127.0.0.1:${api.apiPort}/ready`)
    expect((await ready()).status).toBe(200)
    load.isTooMuch = true
    expect(await ready()).toMatchObject({ status: 503, body: { troubles: [PROBLEM] } })
    load.isTooMuch = false
    expect((await ready()).status).toBe(200)
    expect(load.isWatched).toBe(true)
    await api.close()
    expect(load.isWatched).toBe(false)
  })
})
