import { expect, test } from 'vitest'
import { anyHttpUrl, databaseUrl, directDatabaseUrl, httpUrl, issuerUrl } from './config-values.ts'
import { readConfig } from './config.ts'

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

test('DATABASE_URL may have several hosts, DATABASE_DIRECT_URL one', () => {
  const several = 'postgres://app:geheim@a:5432,b/mail'
  expect(databaseUrl(several)).toBe(several)
  expect(() => directDatabaseUrl(several)).toThrow('must have one host')
  expect(directDatabaseUrl('postgres://app:geheim@a:5432/mail')).toBe('postgres://app:geheim@a:5432/mail')
})

test.each([
  ['geheim@a,,b/mail', 'has an empty host (host 2 of 3)'],
  ['geheim@a,b:99999/mail', 'has an invalid port (host 2 of 2)'],
  ['geheim@a,b:geheim/mail', 'has an invalid port (host 2 of 2)'],
  ['geheim/mail', 'has an invalid port: '],
  ['change-me@a,b/mail', 'is a placeholder from an example'],
])('DATABASE_URL=postgres://app:%s is a problem that hides the password', (rest, problem) => {
  const read = () => readConfig('api', { DATABASE_URL: `postgres://app:${rest}`, INBOX_WEBHOOK_SECRET: 'long enough' })
  expect(read).toThrow(`DATABASE_URL=(hidden): ${problem}`)
  expect(read).not.toThrow(/geheim|change-me/)
})

test('SMTP_HIDE_EXTENSIONS names extensions, in any case', () => {
  const read = (settings: Record<string, string>) => readConfig('worker', settings).smtpHiddenExtensions
  expect(read({ SMTP_HIDE_EXTENSIONS: 'pipelining, 8BITMIME' })).toEqual(['PIPELINING', '8BITMIME'])
  expect(read({})).toBe(null)
  expect(() => read({ SMTP_HIDE_EXTENSIONS: 'SIZE,PIPELINE' })).toThrow(
    'SMTP_HIDE_EXTENSIONS="SIZE,PIPELINE": unknown extension PIPELINE; must be some of PIPELINING, SIZE, ',
  )
  expect(() => read({ SMTP_HIDE_EXTENSIONS: 'AUTH', SMTP_AUTH_USER: 'app', SMTP_AUTH_PASS: 'secret word' })).toThrow(
    'SMTP_HIDE_EXTENSIONS: AUTH cannot be hidden if SMTP_AUTH_USER is set',
  )
})
