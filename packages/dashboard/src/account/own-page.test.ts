import { expect, test } from 'vitest'
import { isOwnPage } from './own-page.ts'

test.each([
  ['/settings/keys', true],
  ['/m/1?tab=html', true],
  ['/', true],
  [null, false],
  ['', false],
  ['https://evil.example', false],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['javascript:alert(1)', false],
])('sign-in may redirect to %j: %s', (next, expected) => {
  expect(isOwnPage(next)).toBe(expected)
})
