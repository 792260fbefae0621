import { expect, test } from 'vitest'
import { isPublicAddress } from '../../src/notify/address-rules.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { bytesIn, groupsIn, SPECIAL_V4, SPECIAL_V6 } from './special-addresses.ts'

const PER_RANGE = 50
const random = seededRandom(1)

test.each(SPECIAL_V4)('no IPv4 address of %j/%i is public', (...range) => {
  for (let count = 0; count < PER_RANGE; count++) {
    const address = bytesIn(random, range).join('.')
    expect(isPublicAddress(address), address).toBe(false)
  }
})

test.each(SPECIAL_V6)('no IPv6 address of %j/%i is public', (...range) => {
  for (let count = 0; count < PER_RANGE; count++) {
    const address = groupsIn(random, range)
      .map((group) => group.toString(16))
      .join(':')
    expect(isPublicAddress(address), address).toBe(false)
  }
})
