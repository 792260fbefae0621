import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { announcement } from '../support/announce.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { temporaryFolder, WEBHOOK_SECRET } from '../support/server.ts'
import { OpenMail } from './open-mail.ts'
import { startApiApart, startWorker } from './workers-apart.ts'

async function startApart() {
  const { api, apiKey } = await startApiApart()
  let isAnnouncing = true
  const proxy = await startFaultyProxy(api.apiUrl, (_, url) =>
    isAnnouncing || url !== '/webhooks/inbox' ? 'pass' : { status: 503 },
  )
  const sdk = new Mailhatch({ url: api.apiUrl, apiKey })
  return {
    api,
    sdk,
    dataDir: temporaryFolder(),
    startWorker: (dataDir: string) => startWorker(proxy.url, dataDir),
    announce: (isOn: boolean) => (isAnnouncing = isOn),
    state: (mailbox: string) => sdk.messages.settled({ mailbox, quiet: 0, wait: 0 }),
  }
}

async function send(port: number, to: string): Promise<void> {
  const mail = await OpenMail.begin(port, to)
  await mail.startContent('Kept')
  expect(await mail.finish()).toMatch(/^250/)
}

test('mail that a worker keeps is on its way, also when the worker was killed, until it is back', async () => {
  const { sdk, dataDir, startWorker, announce, state } = await startApart()
  const first = await startWorker(dataDir)
  const inbox = await sdk.addresses.create()
  const other = await sdk.addresses.create()
  expect(await inbox.settled({ quiet: 0 })).toMatchObject({ settled: true, unknown: [] })
  announce(false)
  await send(first.smtpPort, inbox.address)
  await expect.poll(() => state(inbox.address)).toMatchObject({ settled: false, count: 0, onItsWay: { waiting: 1 } })
  await expect.poll(() => state(other.address)).toMatchObject({ settled: true })
  await first.kill()
  const { unknown, settled } = await state(other.address)
  expect([settled, unknown]).toEqual([false, [{ worker: expect.any(String), reason: 'worker_silent' }]])
  await expect(inbox.settled({ quiet: 0, timeout: 1_000 })).rejects.toThrow('a worker does not respond')
  announce(true)
  const second = await startWorker(dataDir)
  expect(await inbox.settled({ quiet: 0 })).toMatchObject({ count: 1, messages: [{ subject: 'Kept' }], unknown: [] })
  // One that stops and has announced everything is not expected back.
  await second.stop()
  const last = await state(other.address)
  expect([last.settled, last.unknown]).toEqual([true, [{ worker: null, reason: 'no_worker' }]])
})

test('a worker that stops with mail that it has not announced is expected back', async () => {
  const { sdk, dataDir, startWorker, announce, state } = await startApart()
  const worker = await startWorker(dataDir)
  const inbox = await sdk.addresses.create()
  announce(false)
  await send(worker.smtpPort, inbox.address)
  await worker.stop()
  await expect
    .poll(() => state(inbox.address))
    .toMatchObject({ settled: false, unknown: [{ reason: 'worker_silent' }] })
})

test('an API that has just started waits for its workers, and one that cannot be asked is named', async () => {
  const { api, sdk } = await startApart()
  const { team } = await sdk.me()
  const early = await sdk.messages.settled({ mailbox: `qa@${team.domain}`, quiet: 0, wait: 0 })
  expect(early.settled || early.unknown.some(({ reason }) => reason === 'starting')).toBe(true)
  await fetch(`${api.apiUrl}/webhooks/inbox`, {
    method: 'POST',
    headers: { authorization: `Bearer ${WEBHOOK_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify(announcement({ domain: team.domain, mailbox: 'qa', mailboxWithTag: 'qa', tag: null })),
  })
  const inbox = await sdk.addresses.create()
  expect(await inbox.settled({ quiet: 0 })).toMatchObject({
    settled: true,
    unknown: [{ worker: null, reason: 'worker_unasked' }],
  })
})
