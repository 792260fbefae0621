import type { Attachment } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { awaitedWorkMs } from '../../test/support/work-time.ts'
import type { StoredMessage } from '../store/messages.ts'
import { readInlineImages } from './inline-images.ts'

const bytes = Uint8Array.of(1, 2, 3)
const contents = {
  attachments: (_: unknown, indexes: number[]) => Promise.resolve(new Map(indexes.map((index) => [index, bytes]))),
}

function image(index: number, contentId: string | null): Attachment {
  return { index, contentId, contentType: 'image/png', filename: null, size: 3, inline: true }
}

function read(html: string, attachments: Attachment[]): Promise<Map<string, string>> {
  // Only these two are read.
  const message = { html, attachments } as unknown as StoredMessage
  return readInlineImages({ contents }, message, { who: 'team' })
}

test('the first image of an id is shown, and images without one are not', async () => {
  const other = { ...image(1, 'a'), contentType: 'text/html' }
  expect([...(await read('<img src=cid:a><img src=cid:null>', [image(0, 'a'), other, image(2, null)])).keys()]).toEqual(
    ['a'],
  )
  expect(await read('<img src=cid:a>', [other, image(0, 'a')])).toEqual(new Map())
})

test('many references to many attachments take no longer than to one', async () => {
  const html = Array.from({ length: 50_000 }, (_, index) => `<img src=cid:${100_000 + index}>`).join('')
  const attachments = Array.from({ length: 1_000 }, (_, index) => image(index, String(200_000 + index)))
  const one = await quickestMs(html, attachments.slice(-1))
  // Comparing each with each takes about ten times as long.
  expect(await quickestMs(html, attachments)).toBeLessThan(3 * one)
})

async function quickestMs(html: string, attachments: Attachment[]): Promise<number> {
  let quickest = Infinity
  for (let attempt = 0; attempt < 5; attempt++) {
    const { ms, result } = await awaitedWorkMs(() => read(`${html}<img src=cid:200999>`, attachments))
    expect(result.size).toBe(1)
    quickest = Math.min(quickest, ms)
  }
  return quickest
}
