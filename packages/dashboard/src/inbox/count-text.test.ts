import { expect, test } from 'vitest'
import { messagesText } from './count-text.ts'

test.each([
  [0, true, '0 messages'],
  [1, true, '1 message'],
  [11, true, '11 messages'],
  [12_345, true, '12,345 messages'],
  [2_000, false, '2,000+ messages'],
])('%d (exact: %s) is “%s”', (count, isExact, text) => {
  expect(messagesText({ count, isExact })).toBe(text)
})
