import { describe, expect, test } from 'vitest'
import { checkMailboxName } from './mailbox-name.ts'

const INVALID = {
  problem: 'invalid',
  message: 'Mailbox names may contain letters, numbers, dot, dash, underscore.',
}
const RESERVED = { problem: 'reserved', message: 'Mailbox name is reserved.' }

describe('names that people may choose', () => {
  test.each([
    ['bob', 'bob'],
    ['a', 'a'],
    ['7', '7'],
    ['a.b_c-d', 'a.b_c-d'],
    ['a--b', 'a--b'],
    ['2024-qa', '2024-qa'],
    ['  bob\t', 'bob'],
    ['a'.repeat(63), 'a'.repeat(63)],
    ['a'.repeat(64), 'a'.repeat(64)],
    [` ${'a'.repeat(64)} `, 'a'.repeat(64)],
  ])('%j', (given, name) => {
    expect(checkMailboxName(given)).toEqual({ name })
  })

  test('addressing rule 2: a chosen name is lower-cased', () => {
    expect(checkMailboxName('Bob.Smith')).toEqual({ name: 'bob.smith' })
  })
})

describe('invalid names', () => {
  test.each([
    '',
    ' ',
    '.bob',
    'bob.',
    '-bob',
    'bob-',
    '_bob',
    'bob_',
    'bob smith',
    'bob+tag',
    'bob@in.test',
    'bob/smith',
    'bób',
    'bo\u212a',
    'боб',
    '"bob"',
    'bob\nsmith',
    'b\0b',
    'a'.repeat(65),
    '.'.repeat(100_000),
  ])('%j', (given) => {
    expect(checkMailboxName(given)).toEqual(INVALID)
  })
})

describe('error: reserved mailbox name is refused with `Mailbox name is reserved.`', () => {
  test.each(['admin', 'ADMIN', 'Postmaster', ' support ', 'qa', 'no_reply', 'mailer-daemon', 'MailHatch'])(
    'addressing rule 6: %j',
    (given) => {
      expect(checkMailboxName(given)).toEqual(RESERVED)
    },
  )

  test('a name that only contains a reserved one is free', () => {
    expect(checkMailboxName('admin2')).toEqual({ name: 'admin2' })
  })
})
