import { describe, expect, test } from 'vitest'
import { checkCustomDomain } from './custom-domain.ts'

describe('addressing rule 5: a custom domain is a name or null', () => {
  test.each([
    ['shop.example', 'shop.example'],
    [' Shop.EXAMPLE ', 'shop.example'],
    ['a.b', 'a.b'],
    ['mail-1.shop.example', 'mail-1.shop.example'],
    ['a'.repeat(255), 'a'.repeat(255)],
    ['', null],
    ['   ', null],
    [null, null],
  ])('%j is kept as %j', (input, domain) => {
    expect(checkCustomDomain(input, 'in.test')).toEqual({ domain })
  })

  test.each([
    'ab',
    'a'.repeat(256),
    'shop example',
    'shop_example.com',
    'shop@example.com',
    'münchen.example',
    'a/b.c',
    'in.test.',
    '.shop.example',
    'shop..example',
    '...',
  ])('%j is refused', (input) => {
    expect(checkCustomDomain(input, 'in.test')).toEqual({ message: 'Enter a valid domain name.' })
  })

  test('the root domain is refused', () => {
    const message = 'Root domain is reserved for shared inbox routing.'
    expect(checkCustomDomain('IN.test', 'in.test')).toEqual({ message })
    expect(checkCustomDomain('sub.in.test', 'in.test')).toEqual({ domain: 'sub.in.test' })
  })
})
