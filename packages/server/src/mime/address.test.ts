import { expect, test } from 'vitest'
import { addressesIn } from './address.ts'
import { ADDRESS_LIST_CHARS_MAX } from './limits.ts'

test.each<[field: string, addresses: string[]]>([
  ['', []],
  ['qa@shop.example', ['qa@shop.example']],
  ['Ann <ann@shop.example>, "Lee, Bo" <bo@shop.example>', ['ann@shop.example', 'bo@shop.example']],
  [
    'Team: ann@shop.example, Bo <bo@shop.example>;, cy@shop.example',
    ['ann@shop.example', 'bo@shop.example', 'cy@shop.example'],
  ],
  ['undisclosed-recipients:;', []],
  ['undisclosed, (only a comment), qa+tag@shop.example', ['qa+tag@shop.example']],
])('the addresses of %j', (field, addresses) => {
  expect(addressesIn(field)).toEqual(addresses)
})

test('a list is read up to its limit', () => {
  const one = 'qa@shop.example,'
  expect(addressesIn(one.repeat(10_000))).toHaveLength(ADDRESS_LIST_CHARS_MAX / one.length)
})
