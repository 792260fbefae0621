import { expect, test } from 'vitest'
import { anyHttpUrl, httpUrl, issuerUrl } from './config-values.ts'

const WITH_PASSWORD = 'https://user:secret@mail.example.com/webhooks/inbox'

test('WEBHOOK_URL may have a user name and password, other URLs may not', () => {
  expect(anyHttpUrl(WITH_PASSWORD)).toBe(WITH_PASSWORD)
  for (const read of [httpUrl, issuerUrl]) {
    expect(() => read(WITH_PASSWORD)).toThrow('must have no user name and no password')
  }
})

test('a URL needs its scheme, and loses slashes at its end', () => {
  for (const read of [anyHttpUrl, httpUrl]) {
    expect(() => read('mail.example.com')).toThrow('must be a URL with http:// or https://')
    expect(read('https://mail.example.com//')).toBe('https://mail.example.com')
  }
})
