import { expect, test } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { findClosestName } from './closest-name.ts'

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
  expect(findClosestName(given, NAMES)).toBe(meant)
})

test.each(['tagg', 'too', 'qq', 'ende', 'sta', 'limited', 'mailboxxxx', 'lmt', 'page', 'from', 'x'.repeat(10_000)])(
  '%.20s is similar to no name',
  (given) => {
    // `tagg` is one letter from `tags`.
    expect(findClosestName(given, NAMES)).toBe(given === 'tagg' ? 'tags' : null)
  },
)

test('the most similar of several names is returned', () => {
  expect(findClosestName('subjects', ['subjekt', 'subject'])).toBe('subject')
})

/** Every word with one typo, made of the relevant letters. */
function withOneSlip(word: string[], letters: string[]): string[] {
  const places = Array.from({ length: word.length + 1 }, (_, place) => place)
  return places.flatMap((place) => {
    const [before, one, two, after] = [word.slice(0, place), word[place], word[place + 1], word.slice(place + 1)]
    const more = letters.map((letter) => [...before, letter, ...word.slice(place)])
    if (one === undefined) return more.map((changed) => changed.join(''))
    const other = letters.map((letter) => [...before, letter, ...after])
    const swapped = two === undefined ? [] : [[...before, two, one, ...word.slice(place + 2)]]
    return [...more, [...before, ...after], ...other, ...swapped].map((changed) => changed.join(''))
  })
}

test('words with few typos are recognised, and no others', () => {
  const seed = 7
  const random = seededRandom(seed)
  for (let round = 0; round < 300; round++) {
    const name = random.pick(NAMES)
    const letters = Array.from(new Set(Array.from(`${name}x😀`)))
    let given = name
    for (let slips = 1 + random.below(3); slips > 0; slips--)
      given = random.pick(withOneSlip(Array.from(given), letters))
    const near = new Set(withOneSlip(Array.from(name), letters))
    const isOne = near.has(given)
    const isTwo = withOneSlip(Array.from(given), letters).some((between) => near.has(between))
    const isMeant = given !== name && ((name.length >= 4 && isOne) || (name.length >= 7 && isTwo))
    expect([given, findClosestName(given, [name])], `seed ${seed}`).toEqual([given, isMeant ? name : null])
  }
})
