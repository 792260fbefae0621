import type { SeededRandom } from '../support/seeded-random.ts'
import { base64, utf8 } from './byte-text.ts'
import { type Variant, write } from './generated-mail.ts'

/** A From with comments, routes, quoted local parts and names of every kind. */
export const oddSenders: Variant = (random) => {
  const { raw: localPart, value } = random.pick(LOCAL_PARTS)
  const { raw: rawName, value: name } = nameOf(random)
  const address = `${value}@shop.example`
  const isBare = name === null && random.chance(0.4)
  const rawAddress = `${localPart}${comment(random)}@${comment(random)}shop.example`
  const inBrackets = `<${random.chance(0.2) ? '@one.example,@two.example:' : ''}${rawAddress}>`
  const field = isBare ? `${localPart}@shop.example` : `${rawName}${gap(random)}${inBrackets}${comment(random, ' ')}`
  const rest = random.pick(['', ', Bob <bob@shop.example>'])
  const fromName = name ?? (/[(]([^()]*)[)]/.test(field) ? undefined : null)
  const expected = fromName === undefined ? { from: address } : { from: address, fromName }
  return { mail: write(random, [`From: ${field.trim()}${rest}`, 'Subject: s'], 'text'), expected }
}

const LOCAL_PARTS = [
  { raw: 'ann', value: 'ann' },
  { raw: 'ann.lee+tag', value: 'ann.lee+tag' },
  { raw: '"ann lee"', value: '"ann lee"' },
  { raw: '"ann@home"', value: '"ann@home"' },
  { raw: '"a,b"', value: '"a,b"' },
  { raw: '"a>b"', value: '"a>b"' },
  { raw: '"ann"', value: 'ann' },
  { raw: String.raw`"a\"b"`, value: String.raw`"a\"b"` },
]

function nameOf(random: SeededRandom): { raw: string; value: string | null } {
  const name = random.pick([
    'Lee, Ann',
    'Žák, Jan',
    'Ann (Shop)',
    'Ann <boss@shop.example>',
    '山田, 太郎',
    'Ann "The" Lee',
    'Ann; Bob: C',
  ])
  const encoded = utf8(name)
  const isAscii = encoded === name
  const escapes = Array.from(encoded, (byte) =>
    /[A-Za-z]/.test(byte) ? byte : `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
  const forms = [
    { raw: '', value: null },
    { raw: 'Ann Lee', value: 'Ann Lee' },
    { raw: `=?utf-8?Q?${escapes.join('')}?=`, value: name },
    { raw: `=?UTF-8?B?${base64(encoded)}?=`, value: name },
    { raw: `"=?utf-8?B?${base64(encoded)}?="`, value: name },
    { raw: splitWords(random, encoded), value: name },
  ]
  const quoted = { raw: `"${name.replace(/["\\]/g, String.raw`\$&`)}"`, value: name }
  return random.pick(isAscii ? [...forms, quoted] : [...forms, { raw: `"${encoded}"`, value: name }])
}

function splitWords(random: SeededRandom, bytes: string): string {
  const cut = 1 + random.below(bytes.length - 1)
  return `=?utf-8?B?${base64(bytes.slice(0, cut))}?=\r\n =?UTF-8?B?${base64(bytes.slice(cut))}?=`
}

function comment(random: SeededRandom, before = ''): string {
  return random.chance(0.15)
    ? before + random.pick(['(home)', '(a (nested) one)', String.raw`(a \) sign)`, '(x, y)'])
    : ''
}

const gap = (random: SeededRandom): string => random.pick([' ', '', '\r\n ', '\t'])
