import { expect, test } from 'vitest'
import { safeText } from './terminal-text.ts'

test.each([
  ['Your code is 123456', 'Your code is 123456'],
  ['Grüße 漢字 😀', 'Grüße 漢字 😀'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b]0;title\u0007text', 'text'],
  ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u009b2Jtext', 'text'],
  ['one\r\ntwo\tthree\u2028four', 'one two three four'],
  ['over\rwritten', 'over written'],
  ['a\bb\u0000c\u007fd', 'abcd'],
  ['abc\u202edcba\u2066x\u2069', 'abcdcbax'],
  ['zero\u200bwidth\u200d\ufeff', 'zerowidth'],
  ['lone\ud800', 'lone'],
])('%j is shown as %j', (text, shown) => {
  expect(safeText(text)).toBe(shown)
})

test('200 characters are not cut, longer texts are cut between characters', () => {
  expect(safeText('x'.repeat(200))).toBe('x'.repeat(200))
  expect(safeText('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`)
  expect(safeText(`${'x'.repeat(198)}😀😀`)).toBe(`${'x'.repeat(198)}…`)
})
