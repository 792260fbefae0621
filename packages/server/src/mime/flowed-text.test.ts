import { expect, test } from 'vitest'
import { unflow } from './flowed-text.ts'

test.each([
  ['a line \nthat goes on', 'a line that goes on'],
  ['a line\nthat does not', 'a line\nthat does not'],
  ['paragraph \none\n\nparagraph \ntwo\n', 'paragraph one\n\nparagraph two\n'],
  [' stuffed\n >not a quote', 'stuffed\n>not a quote'],
  ['text \n-- \nsignature', 'text \n-- \nsignature'],
  ['> quoted \n> text\n>> deeper \n> back', '> quoted text\n>> deeper \n> back'],
  ['', ''],
])('%j', (text, expected) => {
  expect(unflow(text, false)).toBe(expected)
})

test('DelSp removes the space that a fold added', () => {
  expect(unflow('日本 \n語 \nです\n> a \n> b', true)).toBe('日本語です\n> ab')
})
