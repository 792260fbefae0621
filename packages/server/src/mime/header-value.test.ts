import { expect, test } from 'vitest'
import { workMs } from '../../test/support/work-time.ts'
import { parseHeaderValue, withoutComments } from './header-value.ts'

test.each([
  ['text/plain', 'text/plain', {}],
  ['Text/HTML; Charset=UTF-8', 'text/html', { charset: 'UTF-8' }],
  ['text/plain;charset="utf-8";format=flowed', 'text/plain', { charset: 'utf-8', format: 'flowed' }],
  ['text/plain; charset = "utf-8" ; x', 'text/plain', { charset: 'utf-8' }],
  ['text/plain; flag; charset=a', 'text/plain', { charset: 'a' }],
  ['a/b; boundary="x;y=z"', 'a/b', { boundary: 'x;y=z' }],
  ['a/b; boundary="AAA" junk; c=d', 'a/b', { boundary: 'AAA', c: 'd' }],
  ['a/b; boundary=one; boundary=two', 'a/b', { boundary: 'one' }],
  ['a/b; name="a \\"quoted\\" name"', 'a/b', { name: 'a "quoted" name' }],
  ['a/b; name="C:\\dir\\file.txt"', 'a/b', { name: 'C:\\dir\\file.txt' }],
  ['a/b; name="never closed; x=y', 'a/b', { name: 'never closed; x=y' }],
  ['a/b; name=Invoice(1).pdf', 'a/b', { name: 'Invoice(1).pdf' }],
  ['a/b (a comment; charset=no) ; charset=yes', 'a/b', { charset: 'yes' }],
  ['a/b; name=""', 'a/b', { name: '' }],
  ['', '', {}],
  ['; a=b', '', { a: 'b' }],
])('%s', (header, value, parameters) => {
  const parsed = parseHeaderValue(header)
  expect(parsed.value).toBe(value)
  expect(Object.fromEntries(parsed.parameters)).toEqual(parameters)
})

test.each([
  ["name*=utf-8''%e2%82%ac%20rates", '€ rates'],
  ["name*=utf-8'en'a%zz%4", 'a%zz%4'],
  ["name*=iso-8859-1''caf%E9", 'café'],
  ['name*=%41', 'A'],
  ["name*=''%e2%82%ac", '€'],
  ['name*0=one; name*1=" two"; name*2=three', 'one twothree'],
  ['name*1=b; name*0=a', 'ab'],
  ['name*10=c; name*2=b; name*0=a', 'abc'],
  ["name*0*=utf-8''%e2%82; name*1*=%ac; name*2=%41", '€%41'],
  ["name=plain; name*=utf-8''better", 'better'],
  ["name*=utf-8''whole; name*0=piece", 'whole'],
])('RFC 2231: %s', (parameter, expected) => {
  expect(parseHeaderValue(`a/b; ${parameter}`).parameters.get('name')).toBe(expected)
})

test.each([
  ['base64 (of course)', 'base64 '],
  ['(nested (comments) here) base64', ' base64'],
  ['a (with \\) escape) b', 'a  b'],
  ['"(quoted)"', '"(quoted)"'],
  ['a (never closed', 'a (never closed'],
])('comments: %s', (text, expected) => {
  expect(withoutComments(text)).toBe(expected)
})

test.each([' boundary=', ' charset =', ';boundary', '; a=""'])('many times "%s" takes time in proportion', (unit) => {
  const header = `a/b${unit.repeat(1_000_000 / unit.length)}`
  // In quadratic time, it would take seconds.
  expect(workMs(() => parseHeaderValue(header))).toBeLessThan(1_000)
})
