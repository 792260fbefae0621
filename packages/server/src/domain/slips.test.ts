import { expect, test } from 'vitest'
import { likelyMeant } from './slips.ts'

const NAMES = [
  'mailbox',
  'tag',
  'tags',
  'to',
  'from',
  'q',
  'subject',
  'text',
  'start',
  'end',
  'since',
  'limit',
  'after_id',
]

test.each([
  ['malbox', 'mailbox'],
  ['maiilbox', 'mailbox'],
  ['mialbox', 'mailbox'],
  ['mailbix', 'mailbox'],
  ['Mailbox', 'mailbox'],
  ['mailboxes', 'mailbox'],
  ['mlibox', 'mailbox'],
  ['mlbox', 'mailbox'],
  ['sbjct', 'subject'],
  ['form', 'from'],
  ['fro', 'from'],
  ['test', 'text'],
  ['statr', 'start'],
  ['limits', 'limit'],
  ['afterid', 'after_id'],
])('%s is probably %s', (given, meant) => {
  expect(likelyMeant(given, NAMES)).toBe(meant)
})

test.each(['tagg', 'too', 'qq', 'ende', 'sta', 'limited', 'mailboxxxx', 'lmt', 'page', 'from', 'x'.repeat(10_000)])(
  '%.20s is nothing of the kind',
  (given) => {
    // `tagg` is one letter from `tags`.
    expect(likelyMeant(given, NAMES)).toBe(given === 'tagg' ? 'tags' : null)
  },
)

test('the nearest of several is meant', () => {
  expect(likelyMeant('subjects', ['subjekt', 'subject'])).toBe('subject')
})
