import { expect, test, vi } from 'vitest'
import { Transit } from '../transit.ts'
import { startTestServer, TestClient, type TestServerOptions } from './test-kit.ts'

async function start(options: TestServerOptions = {}) {
  const transit = new Transit()
  const { server } = await startTestServer({ transit, ...options })
  const client = await TestClient.connectWithHello(server.port)
  const count = (tag: string) => transit.counts.of({ domain: 'in.test', mailbox: 'qa', tags: [tag] })
  return { client, server, transit, count }
}

test('a recipient counts from RCPT until the transaction ends, however it ends', async () => {
  const { client, transit, count } = await start()
  for (const end of ['RSET', 'EHLO again.test', 'DATA']) {
    await client.begin(['qa+one@in.test', 'qa+two@in.test', 'qa+two@in.test'])
    expect([count('one'), count('two'), count('three')]).toEqual([1, 1, 0])
    await client.say(end)
    if (end === 'DATA') await client.say('Subject: hello\r\n\r\ntext\r\n.')
    expect(transit.counts.isEmpty).toBe(true)
  }
  await client.begin(['qa+one@in.test'])
  client.destroy()
  await vi.waitFor(() => expect(transit.counts.isEmpty).toBe(true))
})

test('a mail counts until it is stored, also if its client is gone before', async () => {
  const stored = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const receive = async () => {
    begun.resolve()
    await stored.promise
    return ['1']
  }
  const { client, server, transit, count } = await start({ receive })
  await client.begin(['qa+one@in.test'])
  await client.say('DATA')
  client.send('Subject: hello\r\n\r\ntext\r\n.\r\n')
  await begun.promise
  client.reset()
  await vi.waitFor(() => expect(server.connections).toBe(0))
  expect(count('one')).toBe(1)
  stored.resolve()
  await vi.waitFor(() => expect(transit.counts.isEmpty).toBe(true))
})

test('a recipient that a script delays counts, and one that it refuses does not', async () => {
  const plan = Promise.withResolvers<void>()
  const refusal = { do: 'reject', at: 'rcpt', reply: '451 4.3.0 Later\r\n' } as const
  const scripts = {
    planFor: () => plan.promise.then(() => ({ teamId: 'team', action: refusal, isInForce: () => true })),
  }
  const { client, transit, count } = await start({ scripts })
  await client.say('MAIL FROM:<app@example.com>')
  const reply = client.say('RCPT TO:<qa+one@in.test>')
  await vi.waitFor(() => expect(count('one')).toBe(1))
  plan.resolve()
  expect(await reply).toMatch(/^451/)
  expect(transit.counts.isEmpty).toBe(true)
})

test.each(['small', 'large'])(
  'a %s mail that is read slowly counts until its client resets the connection',
  async (size) => {
    const action = { do: 'slow', bytesPerSecond: 1 } as const
    const scripts = { planFor: () => Promise.resolve({ teamId: 'team', action, isInForce: () => true }) }
    const { client, server, transit, count } = await start({ scripts })
    await client.begin(['qa+one@in.test'])
    await client.say('DATA')
    const lines = Buffer.from(`${'x'.repeat(70)}\r\n`.repeat(1_000))
    if (size === 'small') client.send(lines)
    else await client.sendUntilStuck(lines)
    expect(count('one')).toBe(1)
    client.reset()
    await vi.waitFor(() => expect(transit.counts.isEmpty).toBe(true), { timeout: 60_000 })
    await vi.waitFor(() => expect(server.connections).toBe(0))
  },
)

test('a mail that is read slowly is given up when its client has closed the connection', async () => {
  const action = { do: 'slow', bytesPerSecond: 1 } as const
  const scripts = { planFor: () => Promise.resolve({ teamId: 'team', action, isInForce: () => true }) }
  const { client, transit, count } = await start({ scripts })
  await client.begin(['qa+one@in.test'])
  await client.say('DATA')
  await client.sendApart(Array.from({ length: 5 }, () => Buffer.from('text\r\n'.repeat(1_000))))
  expect(count('one')).toBe(1)
  client.endInput()
  await vi.waitFor(() => expect(transit.counts.isEmpty).toBe(true), { timeout: 60_000 })
})
