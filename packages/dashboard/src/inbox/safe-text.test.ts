import { expect, test } from 'vitest'
import { breakRuns, hostOf, isWebAddress, sizeText, visibleText } from './safe-text.ts'

test.each([
  ['Shop \u202egnp.exe', 'Shop ␣gnp.exe'],
  ['a\u200bb\u0007c', 'a␣b␣c'],
  ['two\r\n lines', 'two  lines'],
  ['Grüße 😀', 'Grüße 😀'],
])('%j is shown as %j', (text, shown) => expect(visibleText(text)).toBe(shown))

test('the host of a link is shown in Punycode', () => {
  expect(hostOf('https://аpple.com/x')).toBe('xn--pple-43d.com')
  expect(hostOf('https://shop.example:8443/x')).toBe('shop.example:8443')
  expect([hostOf('mailto:a@b.c'), hostOf('nonsense')]).toEqual([null, null])
})

test('sizes are short', () => {
  expect([999, 2048, 5 * 1024 ** 2].map(sizeText)).toEqual(['999 B', '2 kB', '5.0 MB'])
})

test('only http and https URLs become links', () => {
  const addresses = [
    'https://a.example',
    'HTTP://a.example',
    'javascript:alert(1)//https://',
    'data:text/html,x',
    '//a.example',
  ]
  expect(addresses.map(isWebAddress)).toEqual([true, true, false, false, false])
})

test('a letter has at most 30 combining marks; text of real scripts does not change', () => {
  const broken = breakRuns(`Hi a${'\u0301'.repeat(100_000)} end`)
  expect(broken).not.toMatch(/\p{M}{31}/u)
  expect(broken.replaceAll('\u25cc', '')).toBe(`Hi a${'\u0301'.repeat(100_000)} end`)
  expect(breakRuns('Xin chào, ཧྐྵྨླྺྼྻྂ, นี้')).toBe('Xin chào, ཧྐྵྨླྺྼྻྂ, นี้')
})
