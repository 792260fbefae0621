import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromShortId, toShortId } from './short-id.ts'

test('every message id has one short form of 22 letters and digits, and comes back from it', () => {
  const edges = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
  for (const id of [...edges, ...Array.from({ length: 1_000 }, () => randomUUID())]) {
    expect(toShortId(id)).toMatch(/^[0-9A-Za-z]{22}$/)
    expect(fromShortId(toShortId(id))).toBe(id)
    expect(fromShortId(id.toUpperCase())).toBe(id)
  }
})

test('other text is no id', () => {
  for (const text of ['', 'latest', '0'.repeat(21), '0'.repeat(23), 'z'.repeat(22), '-'.repeat(22)]) {
    expect(fromShortId(text)).toBeNull()
  }
})
