import { describe, expect, test } from 'vitest'
import { metadataKey, metadataPrefix, parseMetadataKey, rawKey } from './object-keys.ts'

const ID = '0195e2a4-7c1b-7d3e-8f00-0123456789ab'
const message = { domain: 'in.test', mailbox: 'bob', id: ID }

test('keys of an ordinary message', () => {
  expect(rawKey(message)).toBe(`raw/in.test/bob/${ID}.eml`)
  expect(metadataKey('unprocessed', message)).toBe(`messages/unprocessed/in.test/bob/${ID}.json`)
  expect(metadataKey('processed', message)).toBe(`messages/processed/in.test/bob/${ID}.json`)
})

describe('unusual names stay one segment and are read back', () => {
  test.each([
    ['a/b', 'a%2Fb'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['...', '%2E%2E%2E'],
    ['.a.', '.a.'],
    ['%2F', '%252F'],
    ['%2e%2e', '%252e%252e'],
    ['a\\b', 'a%5Cb'],
    ['"bob smith"', '%22bob%20smith%22'],
    ['a+b', 'a%2Bb'],
    ["!#$&'*=?^`{|}~", '%21%23%24%26%27%2A%3D%3F%5E%60%7B%7C%7D~'],
    ['(x)', '%28x%29'],
    ['äpfel', '%C3%A4pfel'],
    ['📮', '%F0%9F%93%AE'],
    ['[ipv6:::1]', '%5Bipv6%3A%3A%3A1%5D'],
    ['x.json', 'x.json'],
  ])('%j is %s', (name, segment) => {
    expect(rawKey({ ...message, mailbox: name })).toBe(`raw/in.test/${segment}/${ID}.eml`)
    const odd = { domain: name, mailbox: name, id: ID }
    for (const status of ['unprocessed', 'processed'] as const) {
      expect(metadataKey(status, odd)).toBe(`messages/${status}/${segment}/${segment}/${ID}.json`)
      expect(parseMetadataKey(metadataKey(status, odd))).toEqual({ status, ...odd })
    }
  })
})

describe('keys of other programs', () => {
  test('control: a key of ours', () => {
    expect(parseMetadataKey(`messages/processed/in.test/bob/${ID}.json`)).toEqual({ status: 'processed', ...message })
  })

  test.each([
    '',
    rawKey(message),
    `messages/pending/in.test/bob/${ID}.json`,
    `messages/processed/in.test/${ID}.json`,
    `messages/processed/in.test/bob/extra/${ID}.json`,
    `messages/processed//bob/${ID}.json`,
    `messages/processed/in.test/bob/.json`,
    `messages/processed/in.test/bob/${ID}`,
    `messages/processed/in.test/bob/${ID}.eml`,
    `/messages/processed/in.test/bob/${ID}.json`,
    `messages/processed/in.test/bob/${ID}.json\n`,
    `messages/processed/in.test/../${ID}.json`,
    `messages/processed/in.test/a+b/${ID}.json`,
    `messages/processed/in.test/a%2fb/${ID}.json`,
    `messages/processed/in.test/%62ob/${ID}.json`,
    `messages/processed/in.test/%/${ID}.json`,
    `messages/processed/in.test/%C3/${ID}.json`,
  ])('%j', (key) => {
    expect(parseMetadataKey(key)).toBeNull()
  })
})

test('prefixes for listing end at a complete name', () => {
  expect(metadataPrefix('unprocessed')).toBe('messages/unprocessed/')
  expect(metadataPrefix('processed', 'in.test')).toBe('messages/processed/in.test/')
  expect(metadataPrefix('processed', 'in.test', 'bob')).toBe('messages/processed/in.test/bob/')
  expect(metadataPrefix('processed', 'in.test', '..')).toBe('messages/processed/in.test/%2E%2E/')
  const bobby = metadataKey('processed', { ...message, mailbox: 'bobby' })
  expect(bobby.startsWith(metadataPrefix('processed', 'in.test'))).toBe(true)
  expect(bobby.startsWith(metadataPrefix('processed', 'in.test', 'bob'))).toBe(false)
})
