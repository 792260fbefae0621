import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DIRECT_BYTES_MAX } from '../mime/mail-parser.ts'
import type { AttachmentContent } from '../mime/parse-mail.ts'
import type { StoredMessage } from '../store/messages.ts'
import { createContents } from './content.ts'

const LARGE_BYTES = DIRECT_BYTES_MAX + 1
/** More keys than are decoded for at once. */
const KEYS = 20

/** Large mail is never decoded completely. The id of a message is its size. */
function setUp() {
  const open = new Set<object>()
  let large = 0
  const attachment = { index: 0, contentId: null, contentType: 'text/plain', filename: null, size: 1, inline: false }
  const contents = createContents(
    {
      async raw({ id }) {
        const source = {
          start: () => void open.add(source),
          pull(controller: ReadableStreamDefaultController<Uint8Array>) {
            controller.enqueue(new Uint8Array(Number(id)))
            controller.close()
            open.delete(source)
          },
          cancel: () => void open.delete(source),
        }
        return { size: Number(id), stream: new ReadableStream(source, { highWaterMark: 0 }) }
      },
      remove: () => Promise.reject(new Error('not expected')),
    },
    {
      async attachment(raw): Promise<AttachmentContent> {
        if (raw.byteLength < LARGE_BYTES) return { attachment, bytes: raw }
        large++
        return new Promise(() => {})
      },
    },
    async (bytes) => ({ size: bytes.byteLength, stream: new Blob([new Uint8Array(bytes)]).stream() }),
  )
  return {
    open,
    large: () => large,
    read: (bytes: number, who: string, isGone = false) =>
      // Nothing else of it is used.
      contents.attachment({ id: String(bytes) } as StoredMessage, 0, { who, isGone: () => isGone }),
  }
}

test('a download from small mail does not wait for downloads from large mail', async () => {
  const { read, large } = setUp()
  for (let key = 0; key < KEYS; key++) void read(LARGE_BYTES, `key ${key}`)
  await nextTurn()
  const decoding = large()
  expect(decoding).toBeGreaterThan(0)
  expect(await read(DIRECT_BYTES_MAX, 'key 0')).toMatchObject({ size: DIRECT_BYTES_MAX })
  expect(large()).toBe(decoding)
  expect(decoding).toBeLessThan(KEYS)
})

test('objects that wait, or whose client is gone, are closed', async () => {
  const { read, open } = setUp()
  for (let key = 0; key < KEYS; key++) void read(LARGE_BYTES, `key ${key}`)
  expect(await read(DIRECT_BYTES_MAX, 'key 0', true)).toBeNull()
  await nextTurn()
  expect(open.size).toBe(0)
})
