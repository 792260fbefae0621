import { expect, test } from 'vitest'
import { readBody } from './body.ts'
import { BODY_BYTES_MAX } from './limits.ts'
import { describePart } from './part.ts'

/** Parts of plain text, one after the other in one mail. */
function read(...texts: string[]) {
  const raw = new TextEncoder().encode(texts.join(''))
  let start = 0
  const parts = texts.map((text) => {
    const part = { ...describePart([], start), end: start + text.length }
    start = part.end
    return part
  })
  return readBody(raw, parts)
}

test('parts are joined by line breaks', () => {
  expect(read()).toEqual({ content: null, isPartial: false })
  expect(read('')).toEqual({ content: null, isPartial: false })
  expect(read('one', 'two')).toEqual({ content: 'one\ntwo', isPartial: false })
})

test('the limit holds for all parts together, and nothing is dropped unsaid', () => {
  const half = 'x'.repeat(BODY_BYTES_MAX / 2)
  expect(read(half, half.slice(1)).isPartial).toBe(false)
  expect(read(half, half).isPartial).toBe(true)
  expect(read(half + half, 'y')).toEqual({ content: half + half, isPartial: true })
})
