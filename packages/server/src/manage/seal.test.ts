import { expect, test } from 'vitest'
import { createSealer } from './seal.ts'

const SECRET = 'whsec_3q2+7w=='
const sealer = createSealer('a key of at least thirty-two characters')

test.each(['', SECRET, 'Grüße 👋', 'x'.repeat(10_000)])('what was sealed can be opened again: %.20s', (text) => {
  expect(sealer.open(sealer.seal(text))).toBe(text)
})

test('sealed, it shows nothing of the text, and never twice the same', () => {
  const sealed = [sealer.seal(SECRET), sealer.seal(SECRET)]
  expect(sealed[0]).not.toBe(sealed[1])
  for (const text of sealed) {
    expect(Buffer.from(text, 'base64').toString('latin1')).not.toContain('whsec_')
    expect(text).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 12))
  }
})

test('another key does not open it; the same one elsewhere does', () => {
  const sealed = sealer.seal(SECRET)
  expect(createSealer('a key of at least thirty-two characters').open(sealed)).toBe(SECRET)
  expect(() => createSealer('another key of thirty-two characters').open(sealed)).toThrow('SECRET_KEY')
})

test('what was changed is not opened', () => {
  const sealed = sealer.seal(SECRET)
  const bytes = Buffer.from(sealed.slice('v1.'.length), 'base64')
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[index]! ^= 1
    expect(() => sealer.open(`v1.${changed.toString('base64')}`)).toThrow('SECRET_KEY')
  }
  for (const text of ['', 'v1.', SECRET, `v2.${sealed.slice(3)}`, sealed.slice(0, 20)])
    expect(() => sealer.open(text)).toThrow('not sealed')
})
