import { once } from 'node:events'
import { createServer } from 'node:http'
import { verifyWebhook, type WebhookEvent } from '@mailhatch/sdk'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { announcement, post } from './support/announce.ts'
import { freePort } from './support/free-port.ts'
import { startListen } from './support/listening.ts'
import { serveIn, startServer, temporaryFolder } from './support/server.ts'
import { webhookClient } from './support/webhook-client.ts'
import { startWebhookReceiver, type ReceivedWebhook } from './support/webhook-receiver.ts'

/** Announces a mail with this subject and returns its id. */
async function mail(url: string, subject: string, changes: Parameters<typeof announcement>[0] = {}): Promise<string> {
  const sent = announcement({ subject, ...changes })
  expect((await post(url, sent)).status).toBe(200)
  return sent.id
}

test('mail is forwarded as the server would send it, signed with the printed secret', async () => {
  const target = await startWebhookReceiver()
  const server = await startServer({ WEBHOOK_ALLOWED_HOSTS: target.host })
  const listen = startListen(
    ['--forward-to', `${target.url}/hook`, '--url', server.url, '--headers', 'X-Mine: yes', 'X-Too: 1'],
    {
      MAILHATCH_API_KEY: server.apiKey,
    },
  )
  const { secret } = await listen.line('ready')
  const id = await mail(server.url, 'Grüße 😀 "1"', { tag: 'login' })
  expect(await listen.line('answer', id)).toMatchObject({ status: 200 })
  expect(await listen.line('event', id)).toMatchObject({ subject: 'Grüße 😀 "1"' })
  const { body, headers, path } = target.received[0]!
  expect({ path, headers }).toMatchObject({
    path: '/hook',
    headers: {
      'x-mine': 'yes',
      'x-too': '1',
      'webhook-id': id,
      'content-type': 'application/json',
      'user-agent': 'Mailhatch-Webhook/1',
    },
  })
  expect(await verifyWebhook({ secret: secret!, body, headers })).toMatchObject({ data: { id, tag: 'login' } })
  const { 'x-service-signature': service } = headers
  const byService = { 'x-service-signature': service! }
  expect(await verifyWebhook({ secret: secret!, body, headers: byService })).toMatchObject({ data: { id } })
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  expect(new Webhook(secret!).verify(body, flat)).toMatchObject({ data: { id } })
  // The next one arrives both ways.
  await webhookClient(server.url, server.apiKey).add({ url: target.url })
  await mail(server.url, 'Twice')
  await hasCome(target, 3)
  expect(target.received[1]!.body).toBe(target.received[2]!.body)
  expect(subjects(target)).toEqual(['Grüße 😀 "1"', 'Twice', 'Twice'])
})

test('--mailbox and --tag filter, and --replay-last starts with stored messages, oldest first', async () => {
  const target = await startWebhookReceiver()
  const { url, apiKey } = await startServer()
  for (const number of [1, 2, 3]) await mail(url, `Old ${number}`, { mailbox: 'qa', tag: 'a' })
  await mail(url, 'Old, other tag', { mailbox: 'qa', tag: 'b' })
  const words = ['--mailbox', 'qa', '--tag', 'a', '--replay-last', '2', '--api-key', apiKey, '--url', url]
  const listen = startListen([...words, '--forward-to', target.host])
  await listen.line('ready')
  await mail(url, 'Other mailbox', { mailbox: 'shop', tag: 'a' })
  await mail(url, 'Other tag', { mailbox: 'qa', tag: 'b' })
  const id = await mail(url, 'New', { mailbox: 'qa', tag: 'a' })
  await listen.line('answer', id)
  expect(subjects(target)).toEqual(['Old 2', 'Old 3', 'New'])
})

test('an unreachable target is retried; its responses are printed and never end the command', async () => {
  const { url, apiKey } = await startServer()
  const port = await freePort()
  const listen = startListen(['--forward-to', `http://localhost:${port}/`, '--api-key', apiKey, '--url', url])
  await listen.line('ready')
  const first = await mail(url, 'First')
  expect(await listen.line('away', first)).toMatchObject({ who: 'target' })
  const statuses = [500, 302, 204]
  const seen: string[] = []
  const target = createServer((incoming, outgoing) => {
    seen.push(String(incoming.headers['webhook-id']))
    outgoing.writeHead(statuses.shift()!, { location: '/elsewhere' }).end()
  })
  target.listen(port, '127.0.0.1')
  await once(target, 'listening')
  onTestFinished(() => {
    target.close()
    target.closeAllConnections()
  })
  const others = [await mail(url, 'Second'), await mail(url, 'Third')]
  const ids = [first, ...others]
  const answers = await Promise.all(ids.map((id) => listen.line('answer', id)))
  expect(answers.map(({ status }) => status)).toEqual([500, 302, 204])
  expect(seen).toEqual(ids)
})

test('a server restart loses nothing; messages deleted before their turn are skipped', async () => {
  const held: ((answer: { status: number }) => void)[] = []
  const target = await startWebhookReceiver(() => new Promise((resolve) => held.push(resolve)))
  const settings = { PORT: String(await freePort()), BOOTSTRAP_API_KEY: 'key-of-the-listening-tests' }
  const dataDir = temporaryFolder()
  const before = await serveIn(dataDir, settings)
  const url = `http://127.0.0.1:${settings.PORT}`
  const listen = startListen(['--forward-to', target.url, '--api-key', settings.BOOTSTRAP_API_KEY, '--url', url])
  await listen.line('ready')
  const one = await mail(url, 'One')
  await hasCome(target, 1)
  const two = await mail(url, 'Two')
  await before.close()
  const after = await serveIn(dataDir, settings)
  onTestFinished(() => after.close())
  const three = await mail(url, 'Three')
  const removal = { method: 'DELETE', headers: { authorization: `Bearer ${settings.BOOTSTRAP_API_KEY}` } }
  expect((await fetch(`${url}/v1/messages/${two}`, removal)).status).toBe(200)
  held.shift()!({ status: 200 })
  await listen.line('answer', one)
  await hasCome(target, 2)
  held.shift()!({ status: 200 })
  await listen.line('answer', three)
  expect(subjects(target)).toEqual(['One', 'Three'])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the command with %i, even while the target does not respond', async (signal, code) => {
  const target = await startWebhookReceiver(() => null)
  const { url, apiKey } = await startServer()
  const listen = startListen(['--forward-to', target.url, '--api-key', apiKey, '--url', url])
  await listen.line('ready')
  await mail(url, 'Held')
  await hasCome(target, 1)
  const stoppedAt = performance.now()
  listen.stop(signal)
  expect(await listen.ended).toMatchObject({ code, stderr: '' })
  expect(performance.now() - stoppedAt).toBeLessThan(20_000)
})

test('errors set the exit code and are printed to standard error', async () => {
  const { url } = await startServer()
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const to = ['--forward-to', 'http://localhost:3000/hook']
  const cases: [string[], number, string][] = [
    [[...to, '--api-key', 'unknown', '--url', url], 4, 'nauthorized'],
    [[...to, '--api-key', 'any', '--url', nowhere], 5, 'No server at'],
    [['--api-key', 'any'], 2, '--forward-to'],
  ]
  for (const [words, code, text] of cases) {
    const ended = await startListen(words).ended
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toContain(text)
  }
})

function hasCome({ received }: { received: ReceivedWebhook[] }, count: number): Promise<void> {
  return vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count))
}

function subjects({ received }: { received: ReceivedWebhook[] }): string[] {
  // The receiver has already parsed them as events.
  return received.map(({ body }) => (JSON.parse(body) as WebhookEvent).data.subject)
}
