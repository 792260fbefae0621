import { expect, test } from 'vitest'
import { fold } from './fold.ts'

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
