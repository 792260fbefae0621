import { expect, test } from 'vitest'
import { printPages } from './print-pages.ts'

test.each([
  ['a short mail', { textContent: 'Your code is 482913.', htmlContent: '<p>Your code is 482913.' }, 1],
  ['a long text', { textContent: 'x'.repeat(4_000), htmlContent: '<p>' }, 3],
  ['many lines', { textContent: 'x\n'.repeat(89), htmlContent: '<p>' }, 3],
  ['many images', { textContent: null, htmlContent: '<img src=x>'.repeat(9) }, 3],
  ['more than anybody prints', { textContent: 'x'.repeat(1_000_000), htmlContent: '<p>' }, 20],
])('%s', (_, message, pages) => {
  expect(printPages(message)).toBe(pages)
})
