import { describe, expect, test } from 'vitest'
import { SENDER_CHARS_MAX } from './limits.ts'
import { readSender, senderName } from './sender.ts'

const from = (value: string) => readSender([{ name: 'From', value }])

test.each([
  ['a@b.test', 'a@b.test', null],
  ['<a@b.test>', 'a@b.test', null],
  ['Ann <a@b.test>', 'a@b.test', 'Ann'],
  ['"Ann, Inc." <a@b.test>', 'a@b.test', 'Ann, Inc.'],
  ['"Ann \\"A\\" Bee" <a@b.test>', 'a@b.test', 'Ann "A" Bee'],
  ['Ann Bee<a@b.test>', 'a@b.test', 'Ann Bee'],
  ['a@b.test (Ann)', 'a@b.test', 'Ann'],
  ['=?utf-8?Q?Doe=2C_J=C3=B6rg?= <a@b.test>', 'a@b.test', 'Doe, Jörg'],
  ['"=?utf-8?B?SsO2cmc=?=" <a@b.test>', 'a@b.test', 'Jörg'],
  ['one@b.test, two@b.test', 'one@b.test', null],
  ['Ann <one@b.test>, Bob <two@b.test>', 'one@b.test', 'Ann'],
  ['Team: Ann <a@b.test>, c@d.test;', 'a@b.test', 'Ann'],
  ['"a@evil.test" <a@b.test>', 'a@b.test', 'a@evil.test'],
  ['user@host@b.test', 'user@host@b.test', null],
  ['A\0nn <a@b.test>', 'a@b.test', 'Ann'],
  ['Nobody', '', 'Nobody'],
  ['<>', '', null],
  ['', '', null],
])('From: %s', (value, address, name) => {
  expect(from(value)).toMatchObject({ from: address, fromName: name })
})

describe('Reply-To', () => {
  test.each([
    ['stands in for a missing From', [{ name: 'reply-to', value: 'Rae <r@b.test>' }], 'r@b.test', 'Rae'],
    [
      'stands in for a From without address',
      [
        { name: 'From', value: 'Nobody' },
        { name: 'Reply-To', value: 'r@b.test' },
      ],
      'r@b.test',
      null,
    ],
    [
      'does not replace From',
      [
        { name: 'Reply-To', value: 'r@b.test' },
        { name: 'From', value: 'a@b.test' },
      ],
      'a@b.test',
      null,
    ],
    [
      'does not take the name away if it has no address either',
      [
        { name: 'From', value: 'Nobody' },
        { name: 'Reply-To', value: 'Else' },
      ],
      '',
      'Nobody',
    ],
  ])('%s', (_, headers, address, name) => {
    expect(readSender(headers)).toMatchObject({ from: address, fromName: name })
  })
})

test('a From beyond the limit is read up to it', () => {
  const start = 'a@b.test, '
  const atLimit = start + 'x'.repeat(SENDER_CHARS_MAX - start.length)
  expect(from(atLimit)).toEqual({ from: 'a@b.test', fromName: null, isPartial: false })
  expect(from(`${atLimit}x`)).toEqual({ from: 'a@b.test', fromName: null, isPartial: true })
})

// Moves the limit over each character of the address.
test('an address is read completely or not at all, wherever the limit is', () => {
  const address = 'app@shop.example'
  const seen = new Set<string>()
  for (const [before, behind] of [
    ['', ''],
    ['<', '>'],
    ['Shop <', '>'],
  ]) {
    for (let inside = 0; inside <= address.length + 10; inside++) {
      const name = `${'x '.repeat(SENDER_CHARS_MAX).slice(0, SENDER_CHARS_MAX - inside - 1)} `
      seen.add(from(`${name}${before}${address}${behind}, other@shop.example`).from)
    }
  }
  expect([...seen].sort()).toEqual(['', address])
})

test('a name that is too long does not hide the address', () => {
  const encoded = `=?utf-8?B?${Buffer.from('é'.repeat(1_000)).toString('base64')}?=`
  for (const name of ['x '.repeat(2_000), 'x'.repeat(5_000), encoded, `"${'Lee, '.repeat(1_000)}"`]) {
    expect(from(`${name} <ann@shop.example>`)).toMatchObject({ from: 'ann@shop.example', isPartial: true })
  }
})

test('the name in a decoded header has the limit of the field', () => {
  const name = (length: number) =>
    senderName([{ name: 'From', value: `${'x '.repeat(length / 2)}<a@b.test>` }], 'a@b.test')
  expect(name(1_000)).toHaveLength(999)
  expect(name(60_000)?.length).toBeLessThanOrEqual(SENDER_CHARS_MAX)
})

test.each([
  ['Doe, Jörg <a@b.test>', 'Doe, Jörg'],
  ['Ann <boss@b.test> <a@b.test>', 'Ann <boss@b.test>'],
  ['a@b.test (Ann)', 'Ann'],
  ['"Doe, Jörg" <a@b.test>', 'Doe, Jörg'],
  ['Ann <one@b.test>, Bob <two@b.test>', 'Ann'],
  ['<a@b.test>', null],
  ['a@b.test', null],
])('the name in a decoded header: %s', (value, name) => {
  expect(senderName([{ name: 'From', value }], 'a@b.test')).toBe(name)
})
