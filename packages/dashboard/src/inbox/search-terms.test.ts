import { describe, expect, test } from 'vitest'
import {
  filterOf,
  formatSearch,
  dependsOnMarks,
  isExactSearch,
  parseSearch,
  problemOf,
  toggleTerm,
  type Term,
} from './search-terms.ts'

const CLOCK = { now: Date.parse('2026-03-01T12:00:00Z'), isUtc: true }

describe('search terms', () => {
  test.each<[string, Term[]]>([
    ['', []],
    ['hello', [{ name: 'q', value: 'hello' }]],
    ['your code', [{ name: 'q', value: 'your code' }]],
    ['from:shop', [{ name: 'from', value: 'shop' }]],
    ['From:shop', [{ name: 'from', value: 'shop' }]],
    [
      'subject:"your code" tag:login',
      [
        { name: 'subject', value: 'your code' },
        { name: 'tag', value: 'login' },
      ],
    ],
    [
      'tag:a hello tag:b you',
      [
        { name: 'tag', value: 'a' },
        { name: 'tag', value: 'b' },
        { name: 'q', value: 'hello you' },
      ],
    ],
    ['12:30', [{ name: 'q', value: '12:30' }]],
    ['https://shop.example/x', [{ name: 'q', value: 'https://shop.example/x' }]],
    ['from:', [{ name: 'q', value: 'from:' }]],
    ['mailbox:qa+42@mailhatch.test', [{ name: 'mailbox', value: 'qa+42@mailhatch.test' }]],
    ['subject:"open', [{ name: 'subject', value: 'open' }]],
    ['-from:shop', [{ name: 'from', value: 'shop', isNot: true }]],
    [
      'invoice -draft -"not this"',
      [
        { name: 'q', value: 'draft', isNot: true },
        { name: 'q', value: 'not this', isNot: true },
        { name: 'q', value: 'invoice' },
      ],
    ],
    ['one - two', [{ name: 'q', value: 'one - two' }]],
    ['"-5 degrees"', [{ name: 'q', value: '-5 degrees' }]],
    ['e-mail', [{ name: 'q', value: 'e-mail' }]],
    ['-https://shop.example/x', [{ name: 'q', value: 'https://shop.example/x', isNot: true }]],
    ['form:shop', [{ name: 'unknown', value: 'form:shop' }]],
    ['-form:"the shop"', [{ name: 'unknown', value: 'form:"the shop"', isNot: true }]],
    ['"form:shop"', [{ name: 'q', value: 'form:shop' }]],
  ])('%j', (text, terms) => {
    expect(parseSearch(text)).toEqual(terms)
    expect(parseSearch(formatSearch(terms))).toEqual(terms)
  })

  test('become the server’s filter', () => {
    expect(filterOf(parseSearch('from:a tag:x tag:y from:b some words'))).toEqual({
      from: 'b',
      tags: ['x', 'y'],
      q: 'some words',
    })
  })

  test('words of the search box become conditions, and a minus sign leaves matches out', () => {
    const typed = 'has:attachment -has:code after:2h before:2026-03-01 larger:1k -tag:a -tag:b -draft is:unread'
    expect(filterOf(parseSearch(typed), CLOCK)).toEqual({
      hasAttachment: true,
      since: '2026-03-01T10:00:00.000Z',
      before: '2026-03-01T00:00:00.000Z',
      largerThan: 1024,
      isUnread: true,
      without: [{ hasCode: true }, { tags: ['a'] }, { tags: ['b'] }, { q: 'draft' }],
    })
  })

  test('only is:unread, with or without a minus sign, depends on what was opened', () => {
    expect(dependsOnMarks(filterOf(parseSearch('is:unread'), CLOCK))).toBe(true)
    expect(dependsOnMarks(filterOf(parseSearch('-draft -is:unread'), CLOCK))).toBe(true)
    expect(dependsOnMarks(filterOf(parseSearch('is:odd unread -has:code'), CLOCK))).toBe(false)
  })

  test.each([
    ['form:shop', 'form:shop', 'form: is not a search word.'],
    ['has:dog', 'has:dog', 'has: can be attachment or code.'],
    ['is:odd', 'is:odd', 'is: can be unread.'],
    ['before:soon', 'before:soon', 'before: needs a day'],
    ['larger:big', 'larger:big', 'larger: needs a size'],
    ['has:constructor', 'has:constructor', 'has: can be attachment or code.'],
  ])('%s is marked and searched as text, and nothing can be deleted by it', (typed, text, problem) => {
    const [term] = parseSearch(typed)
    expect(problemOf(term!, CLOCK)).toContain(problem)
    expect(filterOf([term!], CLOCK)).toEqual({ q: text })
    expect(isExactSearch([term!])).toBe(false)
  })

  test('only a search that is understood as a whole is exact', () => {
    expect(isExactSearch(parseSearch('from:shop -has:code "form:shop" 12:30'))).toBe(true)
    expect(isExactSearch(parseSearch('from:shop is:unread'))).toBe(true)
    expect(isExactSearch(parseSearch('from:shop is:odd'))).toBe(false)
  })

  test('a click on a tag adds it and a second click removes it; an address replaces the previous one', () => {
    const once = toggleTerm([], { name: 'tag', value: 'x' })
    expect(toggleTerm(once, { name: 'tag', value: 'y' })).toHaveLength(2)
    expect(toggleTerm(once, { name: 'tag', value: 'X' })).toEqual([])
    const addressed = toggleTerm([{ name: 'to', value: 'a' }], { name: 'to', value: 'b' })
    expect(addressed).toEqual([{ name: 'to', value: 'b' }])
  })
})
