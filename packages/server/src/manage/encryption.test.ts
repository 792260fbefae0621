import { expect, test } from 'vitest'
import { createEncryption } from './encryption.ts'

const SECRET = 'whsec_3q2+7w=='
const encryption = createEncryption('a key of at least thirty-two characters')

test.each(['', SECRET, 'Grüße 👋', 'x'.repeat(10_000)])('an encrypted text can be decrypted: %.20s', (text) => {
  expect(encryption.decrypt(encryption.encrypt(text))).toBe(text)
})

test('the encrypted text reveals nothing and differs each time', () => {
  const encrypted = [encryption.encrypt(SECRET), encryption.encrypt(SECRET)]
  expect(encrypted[0]).not.toBe(encrypted[1])
  for (const text of encrypted) {
    expect(Buffer.from(text, 'base64').toString('latin1')).not.toContain('whsec_')
    expect(text).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 12))
  }
})

test('only the same key decrypts it', () => {
  const encrypted = encryption.encrypt(SECRET)
  expect(createEncryption('a key of at least thirty-two characters').decrypt(encrypted)).toBe(SECRET)
  expect(() => createEncryption('another key of thirty-two characters').decrypt(encrypted)).toThrow('SECRET_KEY')
})

test('a changed text is not decrypted', () => {
  const encrypted = encryption.encrypt(SECRET)
  const bytes = Buffer.from(encrypted.slice('v1.'.length), 'base64')
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[index]! ^= 1
    expect(() => encryption.decrypt(`v1.${changed.toString('base64')}`)).toThrow('SECRET_KEY')
  }
  for (const text of ['', 'v1.', SECRET, `v2.${encrypted.slice(3)}`, encrypted.slice(0, 20)])
    expect(() => encryption.decrypt(text)).toThrow('not an encrypted secret')
})
