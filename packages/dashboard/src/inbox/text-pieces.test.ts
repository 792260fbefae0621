import { expect, test } from 'vitest'
import { workMs } from '../../../server/test/support/work-time.ts'
import { textPieces } from './text-pieces.ts'

const shown = (text: string, code: string | null = null) =>
  textPieces(text, code).map(({ kind, text: part }) => (kind === 'text' ? part : `[${kind} ${part}]`))

test.each([
  ['plain', null, ['plain']],
  ['see https://a.example/x?y=1.', null, ['see ', '[link https://a.example/x?y=1]', '.']],
  ['javascript:alert(1) ftp://x', null, ['javascript:alert(1) ftp://x']],
  ['Your code is 123 456. Bye', '123456', ['Your code is ', '[code 123 456]', '. Bye']],
  ['(https://a.example/1) and 77-88', '7788', ['(', '[link https://a.example/1]', ') and ', '[code 77-88]']],
  ['a.b', '.', ['a', '[code .]', 'b']],
  ['', '1', []],
])('%j', (text, code, pieces) => expect(shown(text, code)).toEqual(pieces))

test('a megabyte of URLs is split into few pieces', () => {
  expect(textPieces('http://a.example/ '.repeat(60_000), '123456').length).toBeLessThan(1_100)
})

test('a URL with a long run of dots is scanned once', () => {
  const address = `https://a.example/${'.'.repeat(100_000)}x`
  // Takes a millisecond. With backtracking from each dot it would take seconds.
  expect(workMs(() => textPieces(`${address}...`, null))).toBeLessThan(500)
  expect(shown(`${address}...`)).toEqual([`[link ${address}]`, '...'])
})
