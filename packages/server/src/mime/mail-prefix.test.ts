import { describe, expect, test } from 'vitest'
import { parseStart, PREFIX_BYTES_MAX, readStart } from './mail-prefix.ts'

const CHUNK_BYTES = 64 * 1024

/** A stream that counts what is pulled from it. */
function source(bytes: Uint8Array) {
  const seen = { pulledBytes: 0, isCancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = bytes.slice(seen.pulledBytes, seen.pulledBytes + CHUNK_BYTES)
        seen.pulledBytes += chunk.byteLength
        if (chunk.byteLength > 0) controller.enqueue(chunk)
        else controller.close()
      },
      cancel() {
        seen.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

function mailOf(size: number): Buffer {
  return Buffer.alloc(size, 'x').fill('Subject: Hello\r\n\r\nHello', 0, 23)
}

describe.each([
  ['nothing', 0, true],
  ['a small mail', 100, true],
  ['one byte less than is kept', PREFIX_BYTES_MAX - 1, true],
  ['as much as is kept', PREFIX_BYTES_MAX, true],
  ['one byte more than is kept', PREFIX_BYTES_MAX + 1, false],
  ['three times as much', 3 * PREFIX_BYTES_MAX, false],
])('%s', (_, size, isWhole) => {
  test('mail can be read completely, and its start is parsed', async () => {
    const mail = size === 0 ? Buffer.alloc(0) : mailOf(size)
    const { stream, seen } = source(mail)
    const start = await readStart(stream)
    expect(start.isWhole).toBe(isWhole)
    expect(seen.pulledBytes).toBeLessThanOrEqual(PREFIX_BYTES_MAX + CHUNK_BYTES)
    const parsed = parseStart(start)
    expect(parsed.subject).toBe(size === 0 ? '' : 'Hello')
    // A body of one mebibyte is kept. A longer one also makes the mail partial.
    expect(parsed.parse).toBe(size <= 100 ? 'complete' : 'partial')
    const all = await Array.fromAsync(start.chunks())
    expect(Buffer.concat(all).equals(mail)).toBe(true)
  })
})

test('the rest of mail that is not needed is released', async () => {
  const { stream, seen } = source(mailOf(3 * PREFIX_BYTES_MAX))
  const start = await readStart(stream)
  await start.cancel()
  expect(seen.isCancelled).toBe(true)
})

test('a mail larger than its kept start is partial, even if its text is small', async () => {
  const head = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nYour code is 1234\r\n--b\r\n'
  const mail = Buffer.alloc(PREFIX_BYTES_MAX + 1, 'x')
  mail.write(`${head}Content-Type: image/png\r\n\r\n`)
  const { stream } = source(mail)
  expect(parseStart(await readStart(stream))).toMatchObject({ parse: 'partial', text: 'Your code is 1234' })
})
