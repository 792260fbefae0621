import { expect, test } from 'vitest'
import { isUuid, uuidv7 } from './uuid.ts'

test('a UUIDv7 carries its time, version and variant, and the rest is random', () => {
  expect(uuidv7(0x0123456789ab, new Uint8Array(10))).toBe('01234567-89ab-7000-8000-000000000000')
  expect(uuidv7(0x0123456789ab, new Uint8Array(10).fill(255))).toBe('01234567-89ab-7fff-bfff-ffffffffffff')
  expect(uuidv7(1, Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))).toBe('00000000-0001-7102-8304-05060708090a')
})

test('later ones sort after earlier ones', () => {
  const random = () => crypto.getRandomValues(new Uint8Array(10))
  const ids = Array.from({ length: 100 }, (_, index) => uuidv7(1_700_000_000_000 + index * 7919, random()))
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.every(isUuid)).toBe(true)
  expect(isUuid('not one')).toBe(false)
})
