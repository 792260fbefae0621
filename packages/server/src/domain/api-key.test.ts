import { crc32 as zlibCrc32 } from 'node:zlib'
import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkApiKey, crc32, maskApiKey, newApiKey } from './api-key.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const random = (exclusiveMax: number) => randomInt(exclusiveMax)

test('CRC-32 has the standard polynomial', () => {
  expect(crc32('123456789').toString(16)).toBe('cbf43926')
  for (const text of ['', 'a', 'mh_', 'äpfel', 'x'.repeat(1_000)]) expect(crc32(text)).toBe(zlibCrc32(text))
})

test('a key is mh_, 30 random characters and the checksum of these 33', () => {
  const drawn: number[] = []
  const key = newApiKey((exclusiveMax) => {
    drawn.push(exclusiveMax)
    return drawn.length
  })
  expect(drawn).toEqual(Array(30).fill(62))
  expect(key.slice(0, 33)).toBe(`mh_${BASE62.slice(1, 31)}`)
  const checksum = key
    .slice(33)
    .split('')
    .reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0)
  expect(checksum).toBe(zlibCrc32(key.slice(0, 33)))
})

test('every new key is 39 characters long and valid', () => {
  const keys = Array.from({ length: 1_000 }, () => newApiKey(random))
  expect(keys.filter((key) => key.length !== 39 || checkApiKey(key) !== 'valid')).toEqual([])
  expect(new Set(keys).size).toBe(1_000)
})

test('a small checksum is padded with the first character of the alphabet', () => {
  const padded = Array.from({ length: 1_000 }, () => newApiKey(random)).filter((key) => key.charAt(33) === '0')
  expect(padded.length).toBeGreaterThan(0)
  expect(padded.every((key) => checkApiKey(key) === 'valid')).toBe(true)
})

describe('a mistyped key is malformed', () => {
  const key = newApiKey(random)

  test('any one character replaced', () => {
    const mistyped = Array.from({ length: 36 }, (_, index) => index + 3).flatMap((index) =>
      BASE62.split('')
        .filter((character) => character !== key.charAt(index))
        .map((character) => key.slice(0, index) + character + key.slice(index + 1)),
    )
    expect(mistyped).toHaveLength(36 * 61)
    expect(mistyped.filter((text) => checkApiKey(text) !== 'malformed')).toEqual([])
  })

  test('any two neighbouring characters swapped', () => {
    const swapped = Array.from({ length: 35 }, (_, index) => index + 3)
      .map((at) => key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2))
      .filter((text) => text !== key)
    expect(swapped.length).toBeGreaterThan(0)
    expect(swapped.filter((text) => checkApiKey(text) !== 'malformed')).toEqual([])
  })
})

test('a key in another format is foreign', () => {
  const key = newApiKey(random)
  const others = ['', 'mh_', 'secret-of-mine-1234567890', key.slice(1), `${key}0`, key.slice(0, -1), ` ${key}`]
  const alike = [`${key}\n`, `MH_${key.slice(3)}`, `${key.slice(0, -1)}-`, `${key.slice(0, -1)}é`]
  expect([...others, ...alike].filter((text) => checkApiKey(text) !== 'foreign')).toEqual([])
})

test('a mask shows the first six and the last four characters', () => {
  expect(maskApiKey('mh_ABCdefghijklmnopqrstuvwxyz0123456789')).toBe('mh_ABC…6789')
  expect(maskApiKey('short-key-of-20-char')).toBe('short-…char')
  expect(maskApiKey('my-password-is-long')).toBe('…')
})
