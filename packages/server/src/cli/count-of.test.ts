import { expect, test } from 'vitest'
import { countOf } from './count-of.ts'

test('one is singular, any other count is plural', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'message'))).toEqual(['0 messages', '1 message', '2 messages'])
  expect([1, 2].map((count) => countOf(count, 'delivery', 'deliveries'))).toEqual(['1 delivery', '2 deliveries'])
})
