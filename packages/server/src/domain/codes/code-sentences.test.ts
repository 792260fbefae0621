import { expect, test } from 'vitest'
import { type Sentences, sentences } from '../../../test/mail/code-sentences.ts'
import { seededRandom } from '../../../test/support/seeded-random.ts'
import { findCodes } from './codes.ts'

const SEED = 15
const random = seededRandom(SEED)
const DIGITS = '0123456789'
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const SMALL = CAPITALS.toLowerCase()

function draw(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(random.below(alphabet.length))).join('')
}

/** Drawn again until it has both letters and digits and is not a word followed by a number. */
function drawMixed(make: () => string): string {
  const drawn = make()
  return /\d/.test(drawn) && /[A-Za-z]/.test(drawn) && !/^[A-Za-z-]+\d+$/.test(drawn) ? drawn : drawMixed(make)
}

function drawNumber(length: number): string {
  const drawn = draw(DIGITS, length)
  // Years and dates have a lower confidence on purpose.
  return /^(?:19|20)/.test(drawn) ? drawNumber(length) : drawn
}

function grouped(joint: string): Drawn {
  const [first, second] = [draw(DIGITS, 3), draw(DIGITS, 3)]
  return { written: first + joint + second, value: first + second }
}

type Drawn = { written: string; value: string }
const asWritten = (written: string): Drawn => ({ written, value: written })

const shapes: Record<string, () => Drawn> = {
  ...Object.fromEntries(
    [4, 5, 6, 7, 8, 9, 10].map((length) => [`${length} digits`, () => asWritten(drawNumber(length))]),
  ),
  'one digit four times': () => asWritten(draw(DIGITS, 1).repeat(4)),
  'one digit six times': () => asWritten(draw(DIGITS, 1).repeat(6)),
  'groups with a space': () => grouped(' '),
  'groups with a dash': () => grouped('-'),
  'capitals with digits': () => asWritten(drawMixed(() => draw(CAPITALS + DIGITS, 6))),
  'small letters with digits': () => asWritten(drawMixed(() => draw(SMALL + DIGITS, 6))),
  'two groups of both': () => asWritten(drawMixed(() => `${draw(CAPITALS + DIGITS, 4)}-${draw(CAPITALS + DIGITS, 4)}`)),
  'two small groups of both': () => asWritten(drawMixed(() => `${draw(SMALL + DIGITS, 3)}-${draw(SMALL + DIGITS, 3)}`)),
  'three groups of both': () =>
    asWritten(drawMixed(() => [3, 3, 3].map((length) => draw(CAPITALS + DIGITS, length)).join('-'))),
  'capitals alone': () => asWritten(draw(CAPITALS, 6)),
  'two groups of capitals': () => asWritten(`${draw(CAPITALS, 4)}-${draw(CAPITALS, 4)}`),
}

const codeKinds = ['behind', 'before', 'ownLine', 'password'] satisfies (keyof Sentences)[]
const otherKinds = ['order', 'customer', 'booking', 'invoice'] satisfies (keyof Sentences)[]
// In percent. The rest are letters that spell words.
const FOUND_MIN = 99

function fill(kinds: (keyof Sentences)[]) {
  return Object.entries(sentences).flatMap(([language, texts]) =>
    kinds.flatMap((kind) =>
      Object.entries(shapes).map(([shape, make]) => {
        const { written, value } = make()
        const [first] = findCodes({ subject: 'Heron', text: texts[kind].replace('{}', written), html: null })
        return { found: first?.value, value, title: `${language}, ${kind}, ${shape}: ${written}` }
      }),
    ),
  )
}

test(`a code of any shape is found in any language (seed ${SEED})`, () => {
  const filled = fill(codeKinds)
  const missed = filled.filter(({ found, value }) => found !== value).map(({ title }) => title)
  expect(filled.length).toBeGreaterThan(2000)
  expect((100 * (filled.length - missed.length)) / filled.length, missed.join('\n')).toBeGreaterThanOrEqual(FOUND_MIN)
})

test(`an order, customer, booking or invoice number is not a code, in any shape and language (seed ${SEED})`, () => {
  const filled = fill(otherKinds)
  expect(filled.length).toBeGreaterThan(2000)
  expect(filled.filter(({ found }) => found !== undefined).map(({ title }) => title)).toEqual([])
})
