import { expect, test } from 'vitest'
import { formatCursor, parseCursor } from './cursor.ts'

const POSITIONS = [0, 1, 35, 36, 37, 1_000_000, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]

test.each(POSITIONS)('position %d is read back from its cursor', (position) => {
  const cursor = formatCursor(position)
  expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect(parseCursor(cursor)).toBe(position)
})

test('different positions have different cursors', () => {
  expect(new Set(POSITIONS.map(formatCursor)).size).toBe(POSITIONS.length)
})

test.each([
  '',
  '0',
  '42',
  '1743422400000',
  '2025-03-31',
  '0195e2a4-7c1b-7d3e-8f00-0123456789ab',
  'c',
  'c01',
  'c-1',
  'c-0',
  'c+1',
  'c 1',
  'c1 ',
  ' c1',
  'c1\n',
  'C1',
  'cA',
  'c1.5',
  'c1_',
  'cé',
  'cNaN',
  'c2gosa7pa2gw',
  `c${'z'.repeat(63)}`,
  `c${'z'.repeat(100_000)}`,
])('%j is not a cursor', (text) => {
  expect(parseCursor(text)).toBeNull()
})
