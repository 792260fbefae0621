import { expect, test } from 'vitest'
import { workMs } from '../../test/support/work-time.ts'
import { nextCut } from './combining-runs.ts'
import { fold } from './fold.ts'

/** Linear folding takes 30 ms on an idle machine. Quadratic folding took minutes. */
const FOLD_MS_MAX = 1_000

test.each<{ name: string; text: string; folded: string }>([
  { name: 'nothing', text: '', folded: '' },
  { name: 'ASCII', text: 'Your Code: 42\r\n\t~\x7f\x01', folded: 'your code: 42\r\n\t~\x7f\x01' },
  { name: 'NUL among ASCII', text: 'A\0B', folded: 'ab' },
  { name: 'accents', text: 'Émile ÜBER', folded: 'émile über' },
  { name: 'the first character behind ASCII', text: 'A\u0080', folded: 'a\u0080' },
  { name: 'a space that does not break', text: 'A\u00a0B', folded: 'a b' },
  { name: 'full-width letters and ligatures', text: 'ＡＢ ﬁ', folded: 'ab fi' },
  { name: 'half a surrogate pair', text: 'A\ud800', folded: 'a\ufffd' },
])('folds $name', ({ text, folded }) => {
  expect(fold(text)).toBe(folded)
})

/** Folding without broken runs: correct, but quadratic in the length of a run. */
function plainly(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

const LONGEST_RUN = 'e' + '\u0316\u0301'.repeat(15)

test.each([
  ['nothing', ''],
  ['words', 'Größe, ΟΔΥΣΣΕΥΣ, naı̈ve, ＡＢ ﬁ ﷺ ㌖ ½ … ガ ｶﾞ 가 e\u0301 \u1100\u1161\u11a8'],
  ['vowels that people type in a row', '\u3160'.repeat(100)],
  ['the longest run that is normalised at once', LONGEST_RUN],
  ['many of these', `${LONGEST_RUN} `.repeat(5_000)],
  ['more than one step of what joins', '\u1100\u1161\u11a8'.repeat(50_000)],
  ['more than one step, with no mark where it ends', `x${'e\u0301'.repeat(70_000)}`],
  ['more than one step of pairs', `x${'\u{1d157}\u{1d165}'.repeat(40_000)}`],
])('folds %s to NFKC and lower case', (_, text) => {
  expect(fold(text)).toBe(plainly(text))
})

test('a part of a text is found in the text', () => {
  const words = ['Größe', 'naı̈ve', '日本語', 'ガギグ', '가나다', 'e\u0301', 'ㅠㅠ', '👍🏽', 'हिन्दी', 'שָׁלוֹם', LONGEST_RUN]
  const text = fold(`Before ${words.join(' ')} after`)
  for (const word of words) expect(text).toContain(fold(` ${word} `))
})

test.each(['\u0301\u0316', '\u0301\uff9e', '\u05b0\u05c1\u05b0', '\u0f72\u0f71', '\u{1d16d}\u{1d165}'])(
  'a long run of %j is split depending on its own length, not on its place in the text',
  (pair) => {
    const run = pair.repeat(100)
    for (const lead of ['a', 'xa', `${'x'.repeat(17)}a`, `e${pair} ${'y'.repeat(70_000)}a`]) {
      expect(fold(`${lead}${run}b`).endsWith(fold(`a${run}b`))).toBe(true)
    }
    // No character is lost. Only their order differs.
    const sorted = (text: string) => Array.from(text.normalize('NFKD')).sort().join('')
    expect(sorted(fold(run))).toBe(sorted(run))
    expect(fold(run)).not.toBe(plainly(run))
  },
)

test('all characters that may combine with the previous one are known', () => {
  const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
    /[\p{Assigned}--[\p{Cs}\p{Co}\p{Unified_Ideograph}]]/v.test(character),
  )
  // Marks of every class that is sorted, and the first characters of all compositions.
  const marks = Array.from('\u0334\u3099\u094d\u05b0\u0e38\u0f71\u0316\u0301\u0345\u302a\u{1d16d}')
  const leads = new Set(marks.map((mark) => `a${mark}`))
  const ends = new Set<string>()
  for (const character of characters) {
    const beginning = Array.from(character.normalize('NFD'))
    const end = beginning.pop()!
    if (beginning.length > 0 && !ends.has(end)) leads.add(beginning.join('').normalize('NFC'))
    ends.add(end)
  }
  const normalLeads = Array.from(leads, (lead) => lead.normalize('NFKC'))

  const joining = characters.filter((character) => {
    const together = Array.from(leads, (lead) => lead + character).join('\n')
    const apart = normalLeads.join(`${character.normalize('NFKC')}\n`) + character.normalize('NFKC')
    return together.normalize('NFKC') !== apart
  })
  expect(joining.length).toBeGreaterThan(1_000)
  expect(joining.filter((character) => nextCut(`a${character}`, 1) === 1).map(codeOf)).toEqual([])
  expect(nextCut('ab', 1)).toBe(1)
})

function codeOf(character: string): string {
  return character.codePointAt(0)!.toString(16)
}

test('folded text is at most twice as long as the text, unless the text is short', () => {
  expect(fold('\ufdfa'.repeat(100_000))).toHaveLength(200_000)
  expect(fold('\ufdfa'.repeat(5_000))).toHaveLength(20_000)
  expect(fold('İ'.repeat(100_000))).toHaveLength(200_000)
  expect(fold('x'.repeat(100_000) + '\ufdfa')).toBe('x'.repeat(100_000) + plainly('\ufdfa'))
  // A filter has up to 1,000 characters. If it were cut, it would match too much.
  expect(fold('\ufdfa'.repeat(1_000))).toBe(plainly('\ufdfa'.repeat(1_000)))
})

test('truncated folded text has no split characters', () => {
  expect(fold(`a${'\ufdfa'.repeat(1_111)}b`.repeat(30)).isWellFormed()).toBe(true)
  expect(fold(`a${'\u{1d160}'.repeat(20_000)}`).isWellFormed()).toBe(true)
})

test.each(['\u0301\u0316', '\u05b0\u05c1\u05b0', '\u0f72\u0f71', 'a' + '\u0301\u0316'.repeat(15), '\ufdfa'])(
  'a megabyte of %j is folded without blocking the event loop',
  (unit) => {
    const text = unit.repeat((1024 * 1024) / Buffer.byteLength(unit))
    expect(workMs(() => fold(text))).toBeLessThan(FOLD_MS_MAX)
  },
)
