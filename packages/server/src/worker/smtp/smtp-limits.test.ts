import { describe, expect, test } from 'vitest'
import type { Limits } from './limits.ts'
import { startTestServer, TestClient, type TestServerOptions } from './test-kit.ts'

async function startWithClient(limits: Partial<Limits> = {}, options: TestServerOptions = {}) {
  const started = await startTestServer({ ...options, limits })
  return { ...started, client: await TestClient.connectWithHello(started.server.port) }
}

function noop(lineBytes: number): string {
  return `NOOP ${'a'.repeat(lineBytes - 'NOOP \r\n'.length)}`
}

function domainOf(bytes: number): string {
  return `${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.`.padEnd(bytes, 'g')
}

function withHops(count: number): string {
  return `${'Received: by a\r\n'.repeat(count)}\r\nReceived: text`
}

async function isUsable(client: TestClient): Promise<boolean> {
  await client.say('RSET')
  return (await client.deliver('still usable')) === '250 2.0.0 Stored\r\n'
}

test('limit: a command line of 2,049 bytes is refused with 500 5.5.2, and the third one closes the connection', async () => {
  const { client } = await startWithClient()
  expect(await client.say(noop(2_047))).toMatch(/^250 /)
  expect(await client.say(noop(2_048))).toMatch(/^250 /)
  expect(await client.say(noop(2_049))).toMatch(/^500 5\.5\.2 /)
  expect(await client.say(noop(1_000_000))).toMatch(/^500 5\.5\.2 /)
  expect(await isUsable(client)).toBe(true)
  expect(await client.say(noop(2_049))).toMatch(/^500 5\.5\.2 /)
  expect(await client.reply()).toBe('')
})

test('limit: the 101st recipient is refused with 452 4.5.3, and the transaction continues', async () => {
  const { client, mails } = await startWithClient()
  await client.begin(Array.from({ length: 99 }, (_, index) => `qa${index}@in.test`))
  expect(await client.say('RCPT TO:<qa100@in.test>')).toMatch(/^250 /)
  for (let count = 0; count < 50; count++) {
    expect(await client.say(`RCPT TO:<more${count}@in.test>`)).toMatch(/^452 4\.5\.3 /)
  }
  expect(await client.say('RCPT TO:<qa100@in.test>')).toMatch(/^250 /)
  await client.say('DATA')
  client.send('text\r\n.\r\n')
  expect(await client.reply()).toMatch(/^250 /)
  expect(mails[0]?.recipients).toHaveLength(100)
})

describe('limit: recipient addresses', () => {
  test.each<[string, string, string]>([
    ['local part of 63', `${'a'.repeat(63)}@in.test`, '250 2.1.5'],
    ['local part of 64', `${'a'.repeat(64)}@in.test`, '250 2.1.5'],
    ['local part of 65', `${'a'.repeat(65)}@in.test`, '501 5.1.3'],
    ['path of 253', `${'a'.repeat(30)}@${domainOf(222)}`, '250 2.1.5'],
    ['path of 254', `${'a'.repeat(31)}@${domainOf(222)}`, '250 2.1.5'],
    ['path of 255', `${'a'.repeat(32)}@${domainOf(222)}`, '501 5.1.3'],
    ['domain of 256', `a@${domainOf(242)}.${'h'.repeat(13)}`, '501 5.1.3'],
  ])('%s bytes', async (_name, address, expected) => {
    const { client } = await startWithClient()
    await client.say('MAIL FROM:<>')
    expect((await client.say(`RCPT TO:<${address}>`)).slice(0, 9)).toBe(expected)
    expect(await isUsable(client)).toBe(true)
  })
})

test('limit: a sender with a local part of 257 bytes is refused with 501 5.1.3', async () => {
  const { client } = await startWithClient()
  expect(await client.say(`MAIL FROM:<${'a'.repeat(256)}@b.test>`)).toMatch(/^250 /)
  await client.say('RSET')
  expect(await client.say(`MAIL FROM:<${'a'.repeat(257)}@b.test>`)).toMatch(/^501 5\.1\.3 /)
  expect(await isUsable(client)).toBe(true)
})

test('limit: one transaction too many is refused with 421', async () => {
  const { client, connect } = await startWithClient({ transactionsMax: 3 })
  for (let count = 1; count <= 3; count++) expect(await client.deliver('text')).toMatch(/^250 /)
  expect(await client.say('MAIL FROM:<>')).toMatch(/^421 4\.7\.0 /)
  expect(await client.reply()).toBe('')
  expect((await connect()).greeting).toMatch(/^220 /)
})

test('limit: the 21st error since the last stored mail closes the connection with 421', async () => {
  const { client } = await startWithClient()
  for (let round = 1; round <= 2; round++) {
    for (let count = 1; count <= 20; count++) expect(await client.say('MAIL nonsense')).toMatch(/^501 /)
    expect(round === 2 || (await isUsable(client))).toBe(true)
  }
  expect(await client.say('MAIL nonsense')).toMatch(/^421 4\.7\.0 /)
  expect(await client.reply()).toBe('')
})

test('limit: the 11th unknown command closes the connection with 421', async () => {
  const { client } = await startWithClient()
  for (let count = 1; count <= 10; count++) expect(await client.say('FOO')).toMatch(/^500 5\.5\.1 /)
  expect(await isUsable(client)).toBe(true)
  expect(await client.say('FOO')).toMatch(/^421 4\.7\.0 /)
  expect(await client.reply()).toBe('')
})

test('a browser that posts SMTP commands is disconnected at its first line', async () => {
  const { connect, mails } = await startWithClient()
  const client = await connect()
  client.send('POST / HTTP/1.1\r\nHost: x\r\n\r\nEHLO a\r\nMAIL FROM:<>\r\nRCPT TO:<qa@in.test>\r\nDATA\r\nx\r\n.\r\n')
  expect(await client.reply()).toMatch(/^421 4\.7\.0 /)
  expect(await client.reply()).toBe('')
  expect(mails).toEqual([])
})

test('limit: a data line over the limit is refused with 554 5.6.0', async () => {
  const { client, mails } = await startWithClient({ dataLineBytesMax: 2_000 })
  expect(await client.deliver('a'.repeat(1_997))).toMatch(/^250 /)
  expect(await client.deliver('a'.repeat(1_998))).toMatch(/^250 /)
  expect(await client.deliver('a'.repeat(1_999))).toMatch(/^554 5\.6\.0 /)
  await client.begin(undefined, ' BODY=BINARYMIME')
  expect(await client.chunk('a'.repeat(5_000), true)).toMatch(/^250 /)
  expect(await isUsable(client)).toBe(true)
  expect(mails.map(({ bytes }) => bytes.length)).toEqual([1_999, 2_000, 5_000, 14])
})

test('limit: a data line of 1 MiB is accepted by default, and one more byte is refused', async () => {
  const { client, mails } = await startWithClient()
  expect(await client.deliver('a'.repeat(1_048_574))).toMatch(/^250 /)
  expect(mails[0]?.bytes.length).toBe(1_048_576)
  expect(await client.deliver('a'.repeat(1_048_575))).toMatch(/^554 5\.6\.0 /)
  expect(await isUsable(client)).toBe(true)
})

test('limit: a mail with 51 Received fields is refused with 554 5.4.6', async () => {
  const { client, mails } = await startWithClient()
  expect(await client.deliver(withHops(49))).toMatch(/^250 /)
  expect(await client.deliver(withHops(50))).toMatch(/^250 /)
  expect(await client.deliver(withHops(51))).toMatch(/^554 5\.4\.6 /)
  expect(await isUsable(client)).toBe(true)
  expect(mails).toHaveLength(3)
})

describe('limit: message size', () => {
  test('a size declared with MAIL', async () => {
    const { client, refusals } = await startWithClient({}, { sizeMaxBytes: 1_000 })
    for (const size of [999, 1_000]) {
      expect(await client.say(`MAIL FROM:<a@b.test> SIZE=${size}`)).toMatch(/^250 /)
      await client.say('RSET')
    }
    expect(await client.say('MAIL FROM:<a@b.test> SIZE=1001')).toMatch(/^552 5\.3\.4 /)
    expect(refusals).toMatchObject([{ code: 552, from: 'a@b.test' }])
    expect(await isUsable(client)).toBe(true)
  })

  test('a size found after DATA: the mail is read and dropped, and the session continues', async () => {
    const { client, mails } = await startWithClient({}, { sizeMaxBytes: 1_000 })
    expect(await client.deliver('a'.repeat(997))).toMatch(/^250 /)
    expect(await client.deliver('a'.repeat(998))).toMatch(/^250 /)
    expect(await client.deliver('a'.repeat(999))).toMatch(/^552 5\.3\.4 /)
    expect(await client.deliver('a'.repeat(1_998))).toMatch(/^552 5\.3\.4 /)
    expect(await isUsable(client)).toBe(true)
    expect(mails.map(({ bytes }) => bytes.length)).toEqual([999, 1_000, 14])
  })

  test('more than twice the limit closes the connection', async () => {
    const { client, connect, refusals } = await startWithClient({}, { sizeMaxBytes: 1_000 })
    await client.begin()
    await client.say('DATA')
    client.send('a'.repeat(2_001))
    expect(await client.reply()).toMatch(/^552 5\.3\.4 /)
    expect(await client.reply()).toBe('')
    expect(refusals).toMatchObject([{ code: 552, from: 'app@example.com' }])
    expect((await connect()).greeting).toMatch(/^220 /)
  })
})

test('limit: one connection too many is refused with 421 4.7.0 until another one ends', async () => {
  const { connect, server, refusals } = await startTestServer({
    limits: { connectionsMax: 2, connectionsPerAddressMax: 1, newConnectionsPerAddressMax: 1 },
  })
  const first = await connect()
  const second = await connect()
  const third = await connect()
  expect(third.greeting).toMatch(/^421 4\.7\.0 /)
  expect(await third.reply()).toBe('')
  expect(refusals).toMatchObject([{ code: 421, remoteAddress: '127.0.0.1' }])
  expect(await second.say('NOOP')).toMatch(/^250 /)
  first.destroy()
  await expect.poll(() => server.connections).toBe(1)
  expect((await connect()).greeting).toMatch(/^220 /)
})

describe('limit: free disk space', () => {
  test.each<[number, string]>([
    [1_999, '452 4.3.1'],
    [2_000, '250 2.1.0'],
    [2_001, '250 2.1.0'],
  ])('with %i bytes free and a size limit of 1,000', async (freeBytes, expected) => {
    const { client } = await startWithClient({}, { sizeMaxBytes: 1_000, freeBytes: async () => freeBytes })
    expect((await client.say('MAIL FROM:<>')).slice(0, 9)).toBe(expected)
    expect(await client.say('NOOP')).toMatch(/^250 /)
  })

  test('unknown free space does not refuse mail', async () => {
    const { client } = await startWithClient({}, { freeBytes: () => Promise.reject(new Error('no such folder')) })
    expect(await isUsable(client)).toBe(true)
  })
})
