import { Mailhatch, MessageTimeoutError, type Match } from '@mailhatch/sdk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { store, storeMany } from './support/announce.ts'
import { startFaultyProxy, type Fault } from './support/faulty-proxy.ts'
import { freePort } from './support/free-port.ts'
import { serveIn, startServer, temporaryFolder } from './support/server.ts'

/** The same wait, once by the server's filters alone and once by a condition that only the client can check. */
const WAYS: [string, Match][] = [
  ['the server’s filters', { mailbox: 'qa', subject: 'code' }],
  ['a pattern', { mailbox: 'qa', subject: /code is \d+/i }],
  ['a function', { mailbox: 'qa', where: (mail) => mail.subject.includes('code') }],
]

describe.each(WAYS)('by %s', (_, match) => {
  test('mail that arrived before the call is found, and mail before the cursor never', async () => {
    const { sdk, url } = await startServer()
    await store(url, { mailbox: 'qa', subject: 'Your code is 1' })
    const { cursor } = await sdk.me()
    await store(url, { mailbox: 'qa', subject: 'Your code is 2' })
    await store(url, { mailbox: 'qa', subject: 'Something else' })
    expect((await sdk.messages.waitFor(match)).subject).toBe('Your code is 2')
    expect((await sdk.messages.waitFor({ ...match, after: cursor })).subject).toBe('Your code is 2')
    const later = (await sdk.me()).cursor
    const tooLate = sdk.messages.waitFor({ ...match, after: later }, { timeout: 100 })
    await expect(tooLate).rejects.toBeInstanceOf(MessageTimeoutError)
  })

  test('mail that arrives during the call is found at once', async () => {
    const { sdk, url } = await startServer()
    const startedAt = performance.now()
    const waiting = sdk.messages.waitFor(match, { timeout: 60_000 })
    await store(url, { mailbox: 'qa', subject: 'Something else' })
    await store(url, { mailbox: 'qa', subject: 'Your code is 3' })
    expect((await waiting).subject).toBe('Your code is 3')
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })

  test('the wait continues through 429, 502, 503 and dropped connections', async () => {
    const { url, apiKey } = await startServer()
    const faults: Fault[] = [
      { status: 429, headers: { 'retry-after': '0.01' }, body: '{"error":"Slow down.","code":"rate_limited"}' },
      'drop',
      { status: 503, headers: { 'retry-after': '0.01' }, body: '{"error":"Restarting.","code":"shutting_down"}' },
      { status: 502 },
    ]
    const proxy = await startFaultyProxy(url, (number) => faults[number - 1] ?? 'pass')
    const sdk = new Mailhatch({ url: proxy.url, apiKey })
    const waiting = sdk.messages.waitFor(match, { timeout: 20_000 })
    await vi.waitFor(() => expect(proxy.asked.length).toBeGreaterThan(faults.length))
    await store(url, { mailbox: 'qa', subject: 'Your code is 4' })
    expect((await waiting).subject).toBe('Your code is 4')
  })
})

test('the wait continues through a restart of the server', async () => {
  const dataDir = temporaryFolder()
  const environment = { PORT: String(await freePort()), BOOTSTRAP_API_KEY: 'key-that-outlives-restarts' }
  const first = await serveIn(dataDir, environment)
  const url = `http://127.0.0.1:${first.apiPort}`
  const proxy = await startFaultyProxy(url, () => 'pass')
  const sdk = new Mailhatch({ url: proxy.url, apiKey: environment.BOOTSTRAP_API_KEY })
  const waits = WAYS.map(([, match]) => sdk.messages.waitFor(match, { timeout: 40_000 }))
  await vi.waitFor(() => expect(proxy.asked.length).toBeGreaterThanOrEqual(waits.length))
  await first.close()
  const second = await serveIn(dataDir, environment)
  onTestFinished(() => second.close())
  await store(url, { mailbox: 'qa', subject: 'Your code is 5' })
  for (const waiting of waits) expect((await waiting).subject).toBe('Your code is 5')
})

test.each([1, -1])('the client’s clock may be off by %i hour', async (hours) => {
  const { sdk, url } = await startServer()
  const realNow = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + hours * 3_600_000)
  onTestFinished(() => void vi.restoreAllMocks())
  const receivedAt = new Date(realNow()).toISOString()
  const inbox = await sdk.addresses.create({ mailbox: 'qa' })
  const tag = inbox.address.slice(3, inbox.address.indexOf('@'))
  const waits = [inbox.waitFor(), sdk.messages.waitFor({ tag })]
  await store(url, { mailbox: 'qa', tag, subject: 'On time', receivedAt })
  for (const waiting of waits) expect((await waiting).subject).toBe('On time')
  // The clock is really off:
  expect(Math.abs(Date.now() - realNow())).toBeGreaterThan(3_000_000)
})

test('a timeout reports what arrived and which conditions each message failed, on server or client', async () => {
  const { sdk, url } = await startServer()
  const { cursor: after } = await sdk.me()
  await store(url, { mailbox: 'qa', subject: 'Welcome', to: 'qa@mailhatch.test' })
  const failed = async (match: Match) => {
    const error: unknown = await sdk.messages.waitFor({ ...match, after }, { timeout: 200 }).catch((error) => error)
    if (!(error instanceof MessageTimeoutError)) throw error
    expect(error.message).toMatch(
      /within 200 ms\. What did arrive:\n {2}to qa@mailhatch\.test: Welcome \(not matching: /,
    )
    return error.arrived.map(({ failed }) => failed)
  }
  expect(await failed({ mailbox: 'qa', subject: 'Verify' })).toEqual([['subject']])
  expect(await failed({ mailbox: 'other', subject: 'Verify' })).toEqual([['mailbox', 'subject']])
  expect(await failed({ subject: /verify/i, hasAttachment: true })).toEqual([['subject', 'hasAttachment']])
  expect(await failed({ text: /\d{6}/, where: () => false })).toEqual([['text', 'where']])
  expect(await failed({ mailbox: 'other', subject: /welcome/i })).toEqual([['mailbox']])
})

test('a timeout reports mail with a typo in its tag, whatever else arrived for this test or for others', async () => {
  const { sdk, url } = await startServer()
  const inbox = await sdk.addresses.create({ prefix: 'sign-up' })
  const [, tag = ''] = /\+(.*)@/.exec(inbox.address) ?? []
  const deliver = (to: string, subject: string) =>
    store(url, { mailbox: 'e2e', tag: to, subject, to: `e2e+${to}@mailhatch.test` })
  await deliver(tag, 'Newsletter')
  await deliver(`${tag}x`, 'Verify')
  for (let number = 0; number < 25; number++) await deliver(`other-${number}`, 'Verify')
  for (const subject of ['Verify', /verify/i]) {
    const error: unknown = await inbox.waitFor({ subject }, { timeout: 0 }).catch((error) => error)
    if (!(error instanceof MessageTimeoutError)) throw error
    const shown = error.arrived.map(({ tag: name, failed }) => [name, ...failed])
    expect(shown).toContainEqual([tag, 'subject'])
    expect(shown).toContainEqual([`${tag}x`, 'mailbox'])
    expect(shown.length).toBeLessThanOrEqual(20)
  }
  // A message that was returned before does not hide it either.
  await inbox.waitFor()
  await expect(inbox.waitFor({}, { timeout: 0 })).rejects.toThrow(`to e2e+${tag}x@mailhatch.test: Verify`)
})

test('a condition checked by the client finds one message among hundreds, also if they arrived before', async () => {
  const { sdk, url } = await startServer()
  await storeMany(url, 230, (number) => ({
    mailbox: 'qa',
    subject: `Mail ${number}`,
    plainContent: `Number ${number}.`,
  }))
  expect((await sdk.messages.waitFor({ mailbox: 'qa', subject: /^Mail 2$/ })).subject).toBe('Mail 2')
  expect((await sdk.messages.waitFor({ mailbox: 'qa', text: /Number 3\./ })).subject).toBe('Mail 3')
  const [oldest] = (await sdk.messages.list({ after: 'c0', limit: 1 })).data
  expect((await sdk.messages.waitFor({ subject: /^Mail \d+$/, after: oldest!.cursor })).subject).toBe('Mail 230')
})

test('conditions that only the client can check', async () => {
  const { sdk, sendMail } = await startServer()
  const attachments = [{ filename: 'invoice.txt', content: 'Total 7' }]
  await sendMail({
    to: 'qa@mailhatch.test',
    from: 'Shop <app@shop.example>',
    subject: 'Invoice',
    text: 'See below',
    attachments,
  })
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Receipt', text: 'Your code is 123456' })
  const found = async (match: Match) => (await sdk.messages.waitFor({ mailbox: 'qa', ...match })).subject
  expect(await found({ hasAttachment: true })).toBe('Invoice')
  expect(await found({ hasAttachment: false })).toBe('Receipt')
  expect(await found({ from: /^Shop$/ })).toBe('Invoice')
  expect(await found({ to: /^QA@/i })).toBe('Receipt')
  expect(await found({ text: /see below/i })).toBe('Invoice')
  expect(await found({ where: async (mail) => mail.code() === '123456' })).toBe('Receipt')
  // A global pattern has state, which must not matter.
  const global = /Invoice/g
  expect(global.test('Invoice')).toBe(true)
  expect(await found({ subject: global })).toBe('Invoice')
  await expect(found({ where: () => JSON.parse('no') as boolean })).rejects.toThrow(SyntaxError)
})

test('a signal ends the wait with its reason', async () => {
  const { sdk } = await startServer()
  for (const [, match] of WAYS) {
    const controller = new AbortController()
    const waiting = sdk.messages.waitFor(match, { signal: controller.signal })
    controller.abort(new Error('Enough'))
    await expect(waiting).rejects.toThrow('Enough')
    await expect(sdk.messages.waitFor(match, { signal: controller.signal })).rejects.toThrow('Enough')
  }
})
