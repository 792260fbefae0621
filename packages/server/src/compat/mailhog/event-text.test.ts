import { expect, test } from 'vitest'
import { mailWith } from '../../../test/compat/mail-with.ts'
import { eventText } from './event-text.ts'

const MIB = 1024 * 1024
const PIECE_BYTES = 64 * 1024

/** The event of a mail of this size, and how much of the mail was read for it. */
async function eventOf(size: number): Promise<{ event: { Content: object; Raw: object }; readBytes: number }> {
  const mail = Buffer.from('Subject: Large\r\n\r\n'.padEnd(size, 'x'))
  let readBytes = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = mail.subarray(readBytes, readBytes + PIECE_BYTES)
        readBytes += piece.length
        if (piece.length > 0) controller.enqueue(piece)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const text = await eventText({ contents: { raw: () => Promise.resolve({ size, stream }) } }, mailWith({ size }))
  return { event: JSON.parse(text) as { Content: object; Raw: object }, readBytes }
}

test('an event of large mail has its headers and size, and the rest of the mail is not read', async () => {
  const { event, readBytes } = await eventOf(25 * MIB)
  expect(event.Content).toMatchObject({ Headers: { Subject: ['Large'] }, Body: '', Size: 25 * MIB })
  expect(event.Raw).toMatchObject({ Data: '' })
  expect(readBytes).toBeLessThan(MIB)
  // Control.
  const small = await eventOf(100_000)
  expect(small.event.Content).toMatchObject({ Body: 'x'.repeat(100_000 - 18), Size: 100_000 })
  expect(small.readBytes).toBe(100_000)
})
