import { describe, expect, test } from 'vitest'
import { decodedSize, decodeTransfer } from './transfer-encoding.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const BASE64: [source: string, expected: string][] = [
  ['aGVsbG8=', 'hello'],
  ['aGVsbG8', 'hello'],
  ['aGVs\r\nbG8=\r\n', 'hello'],
  ['aGVs bG8=', 'hello'],
  ['a-G_V!s', 'hel'],
  ['aA==aQ==', 'hi'],
  ['aGVsb', 'hel'],
  ['====', ''],
  ['', ''],
]

const QUOTED_PRINTABLE: [source: string, expected: string][] = [
  ['caf=C3=A9', 'café'],
  ['caf=c3=a9', 'café'],
  ['one=\r\ntwo', 'onetwo'],
  ['one=\ntwo', 'onetwo'],
  ['one= \t\r\ntwo', 'onetwo'],
  ['one\r\ntwo', 'one\r\ntwo'],
  ['a=b', 'a=b'],
  ['a=4', 'a=4'],
  ['a=zz', 'a=zz'],
  ['a=', 'a'],
  ['= x', '= x'],
  ['', ''],
]

describe.each([
  ['base64', BASE64],
  ['quoted-printable', QUOTED_PRINTABLE],
] as const)('%s', (encoding, cases) => {
  test.each(cases)('%j', (source, expected) => {
    expect(decode(decodeTransfer(encode(source), encoding))).toBe(expected)
    expect(decodedSize(encode(source), encoding)).toBe(encode(expected).length)
  })

  test('decodes no more than asked for', () => {
    const source = encode(encoding === 'base64' ? 'aGVsbG8=' : 'he=6Clo')
    for (const bytesMax of [0, 1, 2, 3, 4, 5, 6]) {
      expect(decode(decodeTransfer(source, encoding, bytesMax))).toBe('hello'.slice(0, bytesMax))
    }
  })
})

test('all byte values survive base64', () => {
  const all = Uint8Array.from({ length: 1_000 }, (_, index) => (index * 7) % 256)
  for (const length of [0, 1, 2, 3, 4, 255, 256, 999, 1_000]) {
    const source = encode(btoa(String.fromCharCode(...all.subarray(0, length))))
    expect(decodeTransfer(source, 'base64')).toEqual(all.subarray(0, length))
    expect(decodedSize(source, 'base64')).toBe(length)
  }
})

test('bytes that are not encoded are not copied', () => {
  const source = encode('as it is')
  expect(decodeTransfer(source, 'identity').buffer).toBe(source.buffer)
  expect(decodedSize(source, 'identity')).toBe(8)
})
