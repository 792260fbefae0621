import { expect, test } from 'vitest'
import { printable } from './printable.ts'
import { slug } from './slug.ts'

test.each([
  ['Your code', 'Your code'],
  ['two\r\nlines\u2028three', 'two lines three'],
  ['\u001b[31mred\u0007', '[31mred'],
  ['abc\u202edef\u200b', 'abc def'],
  ['Grüße 你好 🎉', 'Grüße 你好 🎉'],
  ['x'.repeat(300), `${'x'.repeat(200)}…`],
])('%j prints as %j', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

test.each([
  ['Sign up: Zoë', 'sign-up-zoe'],
  ['--a__b--', 'a-b'],
  ['你好', ''],
])('%j in an address is %j', (text, inAddress) => {
  expect(slug(text)).toBe(inAddress)
})
