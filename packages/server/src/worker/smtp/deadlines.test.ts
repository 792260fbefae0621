import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestServer, TestClient, type TestServerOptions } from './test-kit.ts'

// Sockets are real. Only the clock of the sessions is moved by the test.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function startWithClient(options: TestServerOptions = {}) {
  const started = await startTestServer(options)
  return { ...started, client: await TestClient.connectWithHello(started.server.port) }
}

function passSeconds(seconds: number): void {
  vi.advanceTimersByTime(seconds * 1_000)
}

/** When another session has its reply, everything sent before has been read too. */
async function letServerRead(other: TestClient): Promise<void> {
  await other.say('NOOP')
}

/** Expects the last reply and nothing after it. */
const CUT_OFF: unknown[] = [expect.stringMatching(/^421 4\.4\.2 /), '']

test('limit: a client has 300 s to send a command', async () => {
  const { client } = await startWithClient()
  passSeconds(299)
  expect(await client.say('NOOP')).toMatch(/^250 /)
  passSeconds(300)
  expect(await client.say('NOOP')).toMatch(/^250 /)
  passSeconds(301)
  expect(await client.replies(2)).toEqual(CUT_OFF)
})

test('limit: it has 10 s if more than 80 % of the connections are in use', async () => {
  const { client, connect } = await startWithClient({ limits: { connectionsMax: 5 } })
  const others = [await connect(), await connect(), await connect()]
  passSeconds(11)
  for (const each of [client, ...others]) expect(await each.say('NOOP')).toMatch(/^250 /)
  others.push(await connect())
  passSeconds(10)
  expect(await client.say('NOOP')).toMatch(/^250 /)
  passSeconds(1)
  expect(await others[0]!.replies(2)).toEqual(CUT_OFF)
})

test('one connection above 80 % disconnects one idle client, not all of them', async () => {
  const { client, connect, server } = await startWithClient({ limits: { connectionsMax: 5 } })
  const others = [await connect(), await connect(), await connect(), await connect()]
  passSeconds(11)
  expect(await client.replies(2)).toEqual(CUT_OFF)
  // The client has not closed its side yet.
  expect(server.connections).toBe(5)
  passSeconds(1)
  for (const each of others) expect(await each.say('NOOP')).toMatch(/^250 /)
})

test('limit: a client that sends no byte of the mail for 60 s is disconnected', async () => {
  const { client, mails, refusals } = await startWithClient({ limits: { rateGraceMs: 1_000_000 } })
  await client.begin()
  await client.say('DATA')
  passSeconds(60)
  client.send('text\r\n.\r\n')
  expect(await client.reply()).toMatch(/^250 /)
  await client.begin()
  await client.say('DATA')
  passSeconds(61)
  expect(await client.replies(2)).toEqual(CUT_OFF)
  expect(mails).toHaveLength(1)
  expect(refusals).toMatchObject([{ code: 421, from: 'app@example.com' }])
})

describe('limit: after 30 s, at least 500 bytes a second', () => {
  test('a mail that has not started', async () => {
    const { client } = await startWithClient()
    await client.begin()
    await client.say('DATA')
    passSeconds(30)
    client.send('text\r\n.\r\n')
    expect(await client.reply()).toMatch(/^250 /)
    await client.begin()
    await client.say('DATA')
    passSeconds(31)
    expect(await client.replies(2)).toEqual(CUT_OFF)
  })

  test.each<[string, unknown[]]>([
    ['DATA', [expect.stringMatching(/^354 /)]],
    ['BDAT 20000 LAST', []],
  ])('a mail that is sent too slowly with %s', async (command, goAhead) => {
    const { client, connect, server } = await startWithClient()
    const other = await connect()
    await client.begin()
    client.send(`${command}\r\n${'a'.repeat(18_000)}`)
    await letServerRead(other)
    passSeconds(36)
    await letServerRead(other)
    expect(server.connections).toBe(2)
    passSeconds(1)
    expect(await client.replies(1 + goAhead.length)).toEqual([...goAhead, CUT_OFF[0]])
  })
})

test('limit: a session may last 30 minutes, busy or not', async () => {
  const { client } = await startWithClient()
  for (let minutes = 4; minutes <= 28; minutes += 4) {
    passSeconds(240)
    expect(await client.say('NOOP')).toMatch(/^250 /)
  }
  passSeconds(120)
  expect(await client.say('NOOP')).toMatch(/^250 /)
  passSeconds(1)
  expect(await client.replies(2)).toEqual(CUT_OFF)
})

test('the time for storing does not count against the client', async () => {
  const stored = Promise.withResolvers<string[]>()
  const started = Promise.withResolvers<void>()
  const { client } = await startWithClient({
    receive: () => {
      started.resolve()
      return stored.promise
    },
  })
  const replying = client.deliver('text')
  await started.promise
  passSeconds(3_000)
  stored.resolve([])
  expect(await replying).toMatch(/^250 /)
})

test('a client that does not close its side after the last reply is disconnected', async () => {
  const { client, server } = await startWithClient()
  expect(await client.say('QUIT')).toMatch(/^221 /)
  expect(await client.reply()).toBe('')
  passSeconds(5)
  expect(server.connections).toBe(1)
  passSeconds(1)
  await expect.poll(() => server.connections).toBe(0)
})

test('a client that does not read its replies is not read from, and is disconnected if it continues', async () => {
  const { client, server } = await startWithClient()
  client.stopReading()
  const noops = Buffer.from('NOOP\r\n'.repeat(10_000))
  await client.sendUntilStuck(noops)
  expect(server.connections).toBe(1)
  passSeconds(301)
  passSeconds(6)
  await expect.poll(() => server.connections).toBe(0)
})

test('free disk space is checked at most once a second', async () => {
  const freeBytes = vi.fn<() => Promise<number>>(async () => Number.MAX_SAFE_INTEGER)
  const { client } = await startWithClient({ freeBytes })
  for (let count = 0; count < 5; count++) await client.deliver('text')
  expect(freeBytes).toHaveBeenCalledTimes(1)
  passSeconds(1)
  for (let count = 0; count < 5; count++) await client.deliver('text')
  expect(freeBytes).toHaveBeenCalledTimes(2)
})
