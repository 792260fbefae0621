import { describe, expect, test } from 'vitest'
import { startTestServer, TestClient, type TestServerOptions } from './test-kit.ts'

async function startWithClient(options: TestServerOptions = {}) {
  const started = await startTestServer(options)
  return { ...started, client: await TestClient.connectWithHello(started.server.port) }
}

test('a mail in several chunks is stored as their bytes in order', async () => {
  const { client, mails } = await startWithClient()
  await client.begin(undefined, ' BODY=BINARYMIME')
  expect(await client.chunk('Subject: a\r\n', false)).toBe('250 2.0.0 Chunk received\r\n')
  expect(await client.chunk('', false)).toBe('250 2.0.0 Chunk received\r\n')
  expect(await client.chunk('\r\n.\r\n..', false)).toBe('250 2.0.0 Chunk received\r\n')
  expect(await client.chunk('', true)).toBe('250 2.0.0 Stored\r\n')
  expect(mails.map(({ bytes }) => bytes.toString())).toEqual(['Subject: a\r\n\r\n.\r\n..'])
})

test('chunks can be pipelined with other commands, also in single bytes', async () => {
  const { client, mails } = await startWithClient()
  const wire = 'MAIL FROM:<>\r\nRCPT TO:<qa@in.test>\r\nBDAT 3\r\nabcBDAT 5 LAST\r\nQUIT\nNOOP\r\n'
  client.send(wire)
  await client.sendApart(Array.from(Buffer.from(wire), (byte) => Buffer.from([byte])))
  const codes = (await client.replies(10)).map((reply) => reply.slice(0, 9))
  const once = ['250 2.1.0', '250 2.1.5', '250 2.0.0', '250 2.0.0', '250 2.0.0']
  expect(codes).toEqual([...once, ...once])
  expect(mails.map(({ bytes }) => bytes.toString())).toEqual(['abcQUIT\n', 'abcQUIT\n'])
})

test('DATA, RCPT and MAIL after BDAT are refused and the chunks continue', async () => {
  const { client, mails } = await startWithClient()
  await client.begin()
  await client.chunk('one ', false)
  for (const line of ['DATA', 'RCPT TO:<other@in.test>', 'MAIL FROM:<>', 'AUTH PLAIN']) {
    expect(await client.say(line)).toMatch(/^503 5\.5\.1 /)
  }
  expect(await client.chunk('two', true)).toBe('250 2.0.0 Stored\r\n')
  expect(mails.map(({ bytes }) => bytes.toString())).toEqual(['one two'])
})

test('RSET discards the chunks', async () => {
  const { client, mails } = await startWithClient()
  await client.begin()
  await client.chunk('given up', false)
  expect(await client.say('RSET')).toMatch(/^250 /)
  expect(await client.chunk('no transaction', true)).toMatch(/^503 5\.5\.1 /)
  await client.begin()
  expect(await client.chunk('kept', true)).toMatch(/^250 /)
  expect(mails.map(({ bytes }) => bytes.toString())).toEqual(['kept'])
})

test('a BINARYMIME mail cannot be sent with DATA', async () => {
  const { client } = await startWithClient()
  await client.begin(undefined, ' BODY=BINARYMIME')
  expect(await client.say('DATA')).toMatch(/^503 5\.5\.1 /)
  expect(await client.chunk('\0', true)).toMatch(/^250 /)
})

describe('the bytes of a refused chunk are read and dropped', () => {
  test.each<[string, string[], string]>([
    ['without MAIL', [], '503 5.5.1'],
    ['without recipients', ['MAIL FROM:<>', 'RCPT TO:<bad>'], '554 5.5.1'],
  ])('%s', async (_name, lines, expected) => {
    const { client, mails } = await startWithClient()
    for (const line of lines) await client.say(line)
    client.send('BDAT 12 LAST\r\nQUIT\r\nQUIT\r\nNOOP\r\n')
    const [refused, next] = await client.replies(2)
    expect(refused?.slice(0, 9)).toBe(expected)
    expect(next).toBe('250 2.0.0 OK\r\n')
    expect(mails).toEqual([])
  })

  test('limit: chunks that exceed the size limit together are refused', async () => {
    const { client, mails } = await startWithClient({ sizeMaxBytes: 1_000 })
    for (const size of [499, 500]) {
      await client.begin()
      await client.chunk('a'.repeat(500), false)
      expect(await client.chunk('a'.repeat(size), true)).toMatch(/^250 /)
    }
    await client.begin()
    await client.chunk('a'.repeat(500), false)
    expect(await client.chunk('a'.repeat(501), false)).toMatch(/^552 5\.3\.4 /)
    expect(await client.chunk('a'.repeat(10), true)).toMatch(/^503 5\.5\.1 /)
    await client.begin()
    expect(await client.chunk('after', true)).toMatch(/^250 /)
    expect(mails.map(({ bytes }) => bytes.length)).toEqual([999, 1_000, 5])
  })

  test('limit: a refused chunk of more than twice the size limit drops the connection', async () => {
    const { client } = await startWithClient({ sizeMaxBytes: 1_000 })
    expect(await client.chunk('a'.repeat(2_000), true)).toMatch(/^503 5\.5\.1 /)
    expect(await client.chunk('a'.repeat(2_001), true)).toMatch(/^552 5\.3\.4 /)
    expect(await client.reply()).toBe('')
  })
})

test('a chunk without a valid size closes the connection, because its end is unknown', async () => {
  const { client, mails } = await startWithClient()
  await client.begin()
  client.send('BDAT many\r\nMAIL FROM:<>\r\n')
  expect(await client.reply()).toMatch(/^501 5\.5\.4 /)
  expect(await client.reply()).toBe('')
  expect(mails).toEqual([])
})
