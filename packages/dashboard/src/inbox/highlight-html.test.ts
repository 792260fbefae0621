import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../server/test/support/seeded-random.ts'
import { highlightHtml } from './highlight-html.ts'

const shown = (html: string) => highlightHtml(html).map(({ kind, text }) => `${kind} ${text}`)

describe('HTML source', () => {
  test('tags, attributes, values and comments are told apart', () => {
    expect(shown('<!-- x --><a href="/?a>b" title=go>Hi</a> 1 < 2<br/>')).toEqual([
      'comment <!-- x -->',
      'tag <a',
      'text  ',
      'attribute href',
      'text =',
      'value "/?a>b"',
      'text  ',
      'attribute title',
      'text =',
      'value go',
      'tag >',
      'text Hi',
      'tag </a>',
      'text  1 < 2',
      'tag <br/>',
    ])
  })

  test('a style sheet is text up to its closing tag', () => {
    expect(shown('<style>a > b { c: "<p>" }</STYLE><p>')).toEqual([
      'tag <style>',
      'text a > b { c: "<p>" }',
      'tag </STYLE><p>',
    ])
  })

  test('the pieces of random source are that source', () => {
    const seed = 20261116
    const { below, pick } = seededRandom(seed)
    const parts = [
      '<',
      '>',
      '"',
      "'",
      '=',
      '/',
      '!',
      '--',
      '<!--',
      '-->',
      '<style>',
      '</style',
      '<a ',
      ' ',
      '\n',
      'x',
      '&lt;',
      '\u0301',
    ]
    for (let round = 0; round < 500; round++) {
      const html = Array.from({ length: below(30) }, () => pick(parts)).join('')
      expect(
        highlightHtml(html)
          .map(({ text }) => text)
          .join(''),
        `seed ${seed}: ${JSON.stringify(html)}`,
      ).toBe(html)
    }
  })

  test.each(['<', '<a', '<a "', "<a '>", '<!--', '<style>', '<a b=c>', '< ', '<a  '])(
    'a megabyte of %j has few pieces',
    (part) => {
      const html = part.repeat(1_000_000 / part.length)
      const pieces = highlightHtml(html)
      expect(pieces.length).toBeLessThan(21_000)
      expect(pieces.reduce((sum, { text }) => sum + text.length, 0)).toBe(html.length)
    },
  )

  test('a tag with very many attributes has few pieces', () => {
    const html = `<a ${'b=c '.repeat(100_000)}>`
    const pieces = highlightHtml(html)
    expect(pieces.length).toBeLessThan(21_000)
    expect(pieces.map(({ text }) => text).join('')).toBe(html)
  })
})
