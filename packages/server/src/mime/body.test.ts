import { expect, test } from 'vitest'
import { readBody } from './body.ts'
import { BODY_BYTES_MAX } from './limits.ts'
import { describePart } from './part.ts'

function read(text: string) {
  const raw = new TextEncoder().encode(text)
  return readBody(raw, { ...describePart([], 0), end: raw.length })
}

test('an empty text is null', () => {
  expect(readBody(new Uint8Array(), null)).toEqual({ content: null, isPartial: false })
  expect(read('')).toEqual({ content: null, isPartial: false })
  expect(read('one')).toEqual({ content: 'one', isPartial: false })
})

test('text beyond the limit is left out, and the result is partial', () => {
  const most = 'x'.repeat(BODY_BYTES_MAX)
  expect(read(most).isPartial).toBe(false)
  expect(read(`${most}y`)).toEqual({ content: most, isPartial: true })
})
