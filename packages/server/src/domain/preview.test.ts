import { expect, test } from 'vitest'
import { previewOf } from './preview.ts'

test.each([
  [
    'the first words on one line',
    { text: 'Hello,\r\n\r\n\tyour  code is 482913\n', html: null },
    'Hello, your code is 482913',
  ],
  ['the text, if there is one', { text: 'Text', html: '<p>HTML</p>' }, 'Text'],
  [
    'the visible text of HTML',
    { text: null, html: '<style>p{}</style><p>Dear &amp; old</p><p>friend' },
    'Dear & old friend',
  ],
  ['no filler', { text: null, html: 'Sale&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&shy; today' }, 'Sale today'],
  ['no change of direction', { text: 'pay \u202eexe.cod', html: null }, 'pay exe.cod'],
  ['nothing', { text: null, html: null }, ''],
])('%s', (_, body, preview) => {
  expect(previewOf(body)).toBe(preview)
})

test('it is cut without splitting a character', () => {
  const preview = previewOf({ text: `x${'😀'.repeat(200)}`, html: null })
  expect(preview).toBe(`x${'😀'.repeat(79)}`)
})
