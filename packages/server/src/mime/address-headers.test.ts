import { expect, test } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { addressHeadersOf } from './address-headers.ts'
import { LISTED_ADDRESSES_MAX } from './limits.ts'
import { parseMail } from './parse-mail.ts'

const read = (...lines: string[]) =>
  addressHeadersOf(parseMail(Buffer.from(`${lines.join('\r\n')}\r\n\r\nHello\r\n`)).headers)

test('all addresses of To, Cc and Reply-To, and the time of Date', () => {
  const headers = read(
    'From: app@shop.example',
    'To: "Lee, Ann" <ann@shop.example>, bob@shop.example,',
    ' =?utf-8?q?M=C3=BCller=2C_J=C3=B6rg?= <joerg@shop.example>',
    'CC: Team: carl@shop.example, Dora <dora@shop.example>;',
    'Reply-To: Support (day and night) <help@shop.example>',
    'Date: Mon, 16 Nov 2026 13:42:56 +0100',
  )
  expect(headers).toEqual({
    toAll: [
      { address: 'ann@shop.example', name: 'Lee, Ann' },
      { address: 'bob@shop.example', name: null },
      { address: 'joerg@shop.example', name: 'Müller, Jörg' },
    ],
    cc: [
      { address: 'carl@shop.example', name: null },
      { address: 'dora@shop.example', name: 'Dora' },
    ],
    replyTo: [{ address: 'help@shop.example', name: 'Support' }],
    date: '2026-11-16T12:42:56.000Z',
  })
})

test('headers that are missing, empty or without addresses give empty lists', () => {
  const none = { toAll: [], cc: [], replyTo: [], date: null }
  expect(read('Subject: Hello')).toEqual(none)
  expect(read('To: undisclosed-recipients:;', 'Cc:', 'Reply-To: no address here', 'Date: soon')).toEqual(none)
})

test('recipients in a second header are listed as well, and other headers are not', () => {
  const { cc, toAll } = read('Cc: a@x.example', 'Cc: b@x.example', 'Apparently-To: c@x.example', 'X-Cc: d@x.example')
  expect(cc.map(({ address }) => address)).toEqual(['a@x.example', 'b@x.example'])
  expect(toAll).toEqual([])
})

test('limit: a thousand addresses per list', () => {
  const many = Array.from({ length: 1_100 }, (_, index) => `${index}@x.example`)
  const headers = [
    { name: 'To', value: many.slice(0, 600).join(', ') },
    { name: 'to', value: many.slice(600).join(', ') },
  ]
  expect(addressHeadersOf(headers).toAll.map(({ address }) => address)).toEqual(many.slice(0, LISTED_ADDRESSES_MAX))
})

const SEED = 5_322
const NAMES = ['', 'Ann', 'Ann Lee', 'Lee, Ann', 'Jörg Müller', 'Müller, Jörg', '李雷', 'O’Brien', 'Ann-Marie D. Lee']

test(`lists are read as they were written, in every usual form of a name (seed ${SEED})`, () => {
  const random = seededRandom(SEED)
  for (let count = 0; count < 300; count++) {
    const written = Array.from({ length: 1 + random.below(6) }, (_, index) => ({
      address: `${random.pick(['ann', 'bob+1', 'c.d'])}${index}@shop.example`,
      name: random.pick(NAMES) || null,
    }))
    const field = written.map(({ address, name }) => (name === null ? address : `${encoded(name)} <${address}>`))
    const { cc } = read('From: app@shop.example', `Cc: ${field.join(random.pick([',', ', ', ',\r\n ']))}`)
    expect(cc, field.join(', ')).toEqual(written)
  }

  function encoded(name: string): string {
    const word = `=?utf-8?b?${Buffer.from(name).toString('base64')}?=`
    const isAscii = Buffer.byteLength(name) === name.length
    return isAscii ? random.pick([`"${name}"`, word]) : random.pick([word, `"${name}"`])
  }
})
