import { expect, test } from 'vitest'
import { asWritten, cleanTag, cleanTags, countTags, hasTag, SET_TAGS_LENGTH_MAX, withoutTag } from './tags.ts'

test.each([
  ['  Grüße!!  x ', 'Gr e x'],
  ['a-b_c.d@e', 'a-b_c.d@e'],
  ['***', ''],
  ['x'.repeat(101), 'x'.repeat(100)],
])('%j is written as %j', (text, tag) => {
  expect(cleanTag(text)).toBe(tag)
})

test('tags that differ only in case are one', () => {
  expect(cleanTags(['b', 'A', 'a', ' B ', 'c'], 2)).toEqual(['b', 'A'])
  expect(asWritten(['red', 'new'], ['Red', 'blue'])).toEqual(['Red', 'new'])
  expect([hasTag(['Red'], 'rED'), hasTag(['Red'], 'reds')]).toEqual([true, false])
  expect(Array.from(countTags([['red', 'b'], ['RED'], ['A']]))).toEqual([
    ['A', 1],
    ['b', 1],
    ['RED', 2],
  ])
})

test('a tag is renamed or taken away, and the others stay in order', () => {
  expect(withoutTag(['a', 'Red', 'z'], 'RED', 'x')).toEqual(['a', 'x', 'z'])
  expect(withoutTag(['a', 'Red', 'z'], 'RED', null)).toEqual(['a', 'z'])
  const long = Array.from({ length: 100 }, (_, index) => String(index).padStart(100, 'x'))
  const kept = withoutTag(long, long.at(-1)!, 'zz')
  expect(kept).toContain('zz')
  expect(kept.join('').length).toBeLessThanOrEqual(SET_TAGS_LENGTH_MAX)
})
