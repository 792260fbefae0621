import { describe, expect, test } from 'vitest'
import { characterStart, decodeBytes, decodeHeaderBytes } from './charset.ts'

const bytes = (...values: number[]) => new Uint8Array(values)
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('bodies', () => {
  test.each([
    ['the declared charset', bytes(0xf0, 0xd2), 'KOI8-R', 'Пр'],
    ['the declared charset with blanks around', bytes(0xe9), ' iso-8859-1 ', 'é'],
    ['an alias that the standard does not list', bytes(0x82, 0xb1), 'cp932', 'こ'],
    ['UTF-8 that is declared as ASCII', utf8('€'), 'us-ascii', '€'],
    ['UTF-8 without a declaration', utf8('€'), '', '€'],
    ['UTF-8 under an unknown name', utf8('€'), 'x-nonsense', '€'],
    ['windows-1252 under an unknown name', bytes(0x93, 0xe9, 0x94), 'x-nonsense', '“é”'],
    ['a charset that browsers refuse', bytes(0x0e, 0x40, 0x4e, 0x0f), 'iso-2022-kr', '인'],
    ['broken UTF-8 that is declared as such', bytes(0x61, 0xff, 0x62), 'utf-8', 'a\ufffdb'],
    ['a replacement character that was sent', utf8('a\ufffdb'), '', 'a\ufffdb'],
    ['a byte order mark', utf8('\ufeffa\ufffd'), '', 'a\ufffd'],
    ['UTF-16', bytes(0x61, 0, 0xac, 0x20), 'utf-16le', 'a€'],
  ])('%s', (_, input, charset, expected) => {
    expect(decodeBytes(input, charset)).toBe(expected)
  })

  test.each(['utf-8', '', 'gb18030'])('a character that was cut is left out: %s', (charset) => {
    const cut = charset === 'gb18030' ? bytes(0xc4, 0xe3, 0xba) : utf8('你好').subarray(0, 5)
    expect(decodeBytes(cut, charset, { isCut: true })).toBe('你')
    // The decoder is shared, so the cut must not leave state in it.
    expect(decodeBytes(utf8('a'), charset)).toBe('a')
  })

  test('a cut does not change how legacy bytes are decoded', () => {
    expect(decodeBytes(bytes(0x61, 0xe9, 0x62), '', { isCut: true })).toBe('aéb')
  })
})

describe('raw 8-bit headers', () => {
  test.each([
    ['UTF-8 if valid, whatever the body says', utf8('Жук'), 'koi8-r', 'Жук'],
    ['else the charset of the body', bytes(0xf0, 0xd2), 'koi8-r', 'Пр'],
    ['else windows-1252', bytes(0x80, 0xe9), '', '€é'],
    ['windows-1252 if the body is UTF-8', bytes(0x80, 0xe9), 'utf-8', '€é'],
  ])('%s', (_, input, charset, expected) => {
    expect(decodeHeaderBytes(input, charset)).toBe(expected)
  })
})

test('a cut moves back to the start of a character', () => {
  const text = utf8('a😀b')
  expect([0, 1, 2, 3, 4, 5].map((end) => characterStart(text, end))).toEqual([0, 1, 1, 1, 1, 5])
})
