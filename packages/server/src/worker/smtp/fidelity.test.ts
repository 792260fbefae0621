import { describe, expect, test } from 'vitest'
import { startTestServer, TestClient } from './test-kit.ts'

const MAIL = 'Subject: a\r\n\r\n'

/** What arrives for each content; a sender puts a dot before every dot that follows CRLF. */
const contents: Record<string, string> = {
  'NUL bytes': `${MAIL}a\0b\0\r\n\0`,
  'bare CR': `${MAIL}a\rb\r\rc\r`,
  'bare LF': `${MAIL}a\nb\n\nc\n`,
  'only bare LF': 'Subject: a\n\ntext\n',
  'dot lines after CRLF': `${MAIL}.\r\n..\r\n.a\r\n...b`,
  'a dot at the very start': '.\r\na',
  'dot lines after LF': `${MAIL}a\n.\n..\n.b\n`,
  '8-bit bytes': `${MAIL}\xe4\xf6\xfc \x80\xff\xfe \xc3\x28`,
  'smuggling LF . LF': `${MAIL}a\n.\nMAIL FROM:<x@y.test>\r\nRCPT TO:<z@in.test>\r\nDATA\r\nb`,
  'smuggling LF . CRLF': `${MAIL}a\n.\r\nMAIL FROM:<x@y.test>\r\nRCPT TO:<z@in.test>\r\nDATA\r\nb`,
  'smuggling CR . CRLF': `${MAIL}a\r.\r\nMAIL FROM:<x@y.test>\r\n`,
  'smuggling CR . CR': `${MAIL}a\r.\rMAIL FROM:<x@y.test>\r`,
  'smuggling CRLF . LF': `${MAIL}a\r\n.\nMAIL FROM:<x@y.test>\r\n`,
  'smuggling CRLF . CR': `${MAIL}a\r\n.\rMAIL FROM:<x@y.test>\r\n`,
  'smuggling CRLF . CR CR LF': `${MAIL}a\r\n.\r\r\nMAIL FROM:<x@y.test>\r\n`,
  'smuggling CRLF . NUL CRLF': `${MAIL}a\r\n.\0\r\nMAIL FROM:<x@y.test>\r\n`,
  'no header and no text': '',
}

function toWire(content: string): Buffer {
  return Buffer.from(`${content.replaceAll(/(^|\r\n)\./g, '$1..')}\r\n.\r\n`, 'latin1')
}

function bytesOf(content: string): Buffer {
  return Buffer.from(`${content}\r\n`, 'latin1')
}

async function startWithClient() {
  const started = await startTestServer()
  return { ...started, client: await TestClient.connectWithHello(started.server.port) }
}

/** Positions where splitting the stream might matter: around every CR, LF and dot. */
function interestingPlaces(wire: Buffer): number[] {
  const places = new Set<number>()
  for (const [at, byte] of wire.entries()) {
    if (byte === 0x0d || byte === 0x0a || byte === 0x2e) places.add(at).add(at + 1)
  }
  return [...places].filter((place) => place > 0 && place < wire.length)
}

describe.each(Object.entries(contents))('%s', (_name, content) => {
  const wire = toWire(content)

  test('sent in one piece, with a command after it', async () => {
    const { client, mails } = await startWithClient()
    await client.begin()
    await client.say('DATA')
    client.send(Buffer.concat([wire, Buffer.from('NOOP\r\n')]))
    expect(await client.replies(2)).toEqual(['250 2.0.0 Stored\r\n', '250 2.0.0 OK\r\n'])
    expect(mails.map(({ bytes }) => bytes)).toEqual([bytesOf(content)])
  })

  test('split at every interesting position', async () => {
    const { client, mails } = await startWithClient()
    const places = interestingPlaces(wire)
    for (const place of places) {
      await client.begin()
      await client.say('DATA')
      await client.sendApart([wire.subarray(0, place), wire.subarray(place)])
      expect({ place, reply: await client.reply() }).toEqual({ place, reply: '250 2.0.0 Stored\r\n' })
    }
    expect(mails.map(({ bytes }) => bytes)).toEqual(places.map(() => bytesOf(content)))
  })

  test('sent byte by byte', async () => {
    const { client, mails } = await startWithClient()
    await client.begin()
    await client.say('DATA')
    await client.sendApart(Array.from(wire, (byte) => Buffer.from([byte])))
    expect(await client.reply()).toBe('250 2.0.0 Stored\r\n')
    expect(await client.say('NOOP')).toBe('250 2.0.0 OK\r\n')
    expect(mails.map(({ bytes }) => bytes)).toEqual([bytesOf(content)])
  })

  test('sent with BDAT, in one chunk and in two', async () => {
    const { client, mails } = await startWithClient()
    const bytes = Buffer.from(content, 'latin1')
    await client.begin()
    expect(await client.chunk(bytes, true)).toBe('250 2.0.0 Stored\r\n')
    for (const place of interestingPlaces(bytes)) {
      await client.begin()
      expect(await client.chunk(bytes.subarray(0, place), false)).toBe('250 2.0.0 Chunk received\r\n')
      expect(await client.chunk(bytes.subarray(place), true)).toBe('250 2.0.0 Stored\r\n')
    }
    expect(mails).toHaveLength(1 + interestingPlaces(bytes).length)
    // Exactly the chunks' bytes: no CRLF is added at the end.
    for (const mail of mails) expect(mail.bytes).toEqual(bytes)
  })
})

test('the end sequences of smuggling attacks end mail when they are the real end', async () => {
  const { client, mails } = await startWithClient()
  await client.begin()
  await client.say('DATA')
  client.send('one\r\n.\r\nMAIL FROM:<x@y.test>\r\nRCPT TO:<z@in.test>\r\nDATA\r\ntwo\r\n.\r\n')
  await client.replies(5)
  expect(mails.map(({ bytes }) => bytes.toString())).toEqual(['one\r\n', 'two\r\n'])
})

test.each([1_000, 65_536, 200_000])(
  'lines of 200 kB with 8-bit bytes and dots, sent in pieces of %i bytes',
  async (size) => {
    const { client, mails } = await startWithClient()
    const line = '.\xe4b.'.repeat(50_000)
    const content = `${MAIL}${line}\r\n${line}\n${line}`
    const wire = toWire(content)
    const parts: Buffer[] = []
    for (let at = 0; at < wire.length; at += size) parts.push(wire.subarray(at, at + size))
    await client.begin()
    await client.say('DATA')
    await client.sendApart(parts)
    expect(await client.reply()).toBe('250 2.0.0 Stored\r\n')
    expect(mails[0]?.bytes.equals(bytesOf(content))).toBe(true)
  },
)

test('every byte value, in memory and in a spool file', async () => {
  const { client, mails } = await startWithClient()
  const all = Array.from({ length: 256 }, (_, value) => String.fromCodePoint(value)).join('')
  for (const repeat of [1, 5_000]) {
    const content = `${MAIL}${all.repeat(repeat)}`
    await client.begin()
    await client.say('DATA')
    client.send(toWire(content))
    expect(await client.reply()).toBe('250 2.0.0 Stored\r\n')
    expect(mails.at(-1)?.bytes.equals(bytesOf(content))).toBe(true)
  }
  expect(mails[0]?.content).toBeInstanceOf(Uint8Array)
  expect(mails[1]?.content).toMatchObject({ size: 1_280_000 + MAIL.length + 2 })
})
