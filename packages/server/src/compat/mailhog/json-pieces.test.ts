import { expect, test } from 'vitest'
import { jsonPieces, RawText } from './json-pieces.ts'

const rawText = (text: string) => new RawText(Buffer.from(text).toString('latin1'))

test('a value is the same after it was written in pieces, wherever they end', () => {
  for (const before of [0, 1, 2, 3, 65_533, 65_534, 65_535]) {
    const text = `${'x'.repeat(before)}${'€😀"\\\n\u2028'.repeat(20_000)}`
    const value = { ID: 'a"b', To: [], None: {}, Relays: null, Size: 3, Parts: [{ Body: '' }, 'two'] }
    const pieces = Array.from(jsonPieces({ ...value, Data: rawText(text), Empty: rawText('') }))
    expect(JSON.parse(pieces.join(''))).toEqual({ ...value, Data: text, Empty: '' })
    // A text of 64 KiB has at most six times as many characters in JSON.
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(7 * 64 * 1024)
  }
})

test('bytes that are not UTF-8 become replacement characters', () => {
  for (const bytes of ['\xe4', '\x80'.repeat(70_000), `${'a'.repeat(65_535)}\xf0\x9f`]) {
    const text = JSON.parse(Array.from(jsonPieces(new RawText(bytes))).join('')) as string
    expect(text.replaceAll(/[a\ufffd]/g, '')).toBe('')
  }
})
