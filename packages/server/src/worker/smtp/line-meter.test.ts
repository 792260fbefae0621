import { expect, test } from 'vitest'
import { LineMeter } from './line-meter.ts'

function isAnyTooLong(parts: string[], lineBytesMax: number): boolean {
  const meter = new LineMeter(lineBytesMax)
  return parts.some((part) => meter.isTooLong(Buffer.from(part)))
}

test.each<[string, boolean]>([
  ['aaaaaaa\r\n', false],
  ['aaaaaaaa\r\n', false],
  ['aaaaaaaaa\r\n', true],
  ['aaaaaaaaaa', false],
  ['aaaaaaaaaaa', true],
  ['aaaaaaaa\r\naaaaaaaa\r\naaaaaaaaaa', false],
  ['a\na\naaaaaaaaaaa\na\n', true],
  ['a\na\naaaaaaaaa\na\n', false],
  ['', false],
])('limit: %j has a line of more than 10 bytes: %s', (text, expected) => {
  expect(isAnyTooLong([text], 10)).toBe(expected)
  expect(isAnyTooLong(Array.from(text), 10)).toBe(expected)
  for (let at = 1; at < text.length; at++) {
    expect(isAnyTooLong([text.slice(0, at), text.slice(at)], 10)).toBe(expected)
  }
})
