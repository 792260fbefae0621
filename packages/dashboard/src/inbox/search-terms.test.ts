import { describe, expect, test } from 'vitest'
import { filterOf, formatSearch, parseSearch, toggleTerm, type Term } from './search-terms.ts'

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

  test('a click on a tag adds it and a second click removes it; an address replaces the previous one', () => {
    const once = toggleTerm([], { name: 'tag', value: 'x' })
    expect(toggleTerm(once, { name: 'tag', value: 'y' })).toHaveLength(2)
    expect(toggleTerm(once, { name: 'tag', value: 'X' })).toEqual([])
    const addressed = toggleTerm([{ name: 'to', value: 'a' }], { name: 'to', value: 'b' })
    expect(addressed).toEqual([{ name: 'to', value: 'b' }])
  })
})
