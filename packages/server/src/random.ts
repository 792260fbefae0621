import type { RandomInt } from './domain/random-text.ts'
import { uuidv7 } from './domain/uuid.ts'

const RANDOM_BYTES_PER_ID = 10
// A call to the crypto source costs the same for one id as for hundreds.
const POOL_BYTES = 400 * RANDOM_BYTES_PER_ID
const UINT32_VALUES = 2 ** 32
// Filled on first use: Cloudflare provides no randomness outside a request.
let pool = new Uint8Array(0)

/** Uniformly distributed, from the crypto source. */
export const secureRandom: RandomInt = (exclusiveMax) => {
  // Values beyond the last whole multiple would favour small remainders.
  const evenMax = UINT32_VALUES - (UINT32_VALUES % exclusiveMax)
  const drawn = new Uint32Array(1)
  do crypto.getRandomValues(drawn)
  while (drawn[0]! >= evenMax)
  return drawn[0]! % exclusiveMax
}

export function newId(now: number): string {
  if (pool.length < RANDOM_BYTES_PER_ID) pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES))
  const random = pool.subarray(0, RANDOM_BYTES_PER_ID)
  pool = pool.subarray(RANDOM_BYTES_PER_ID)
  return uuidv7(now, random)
}

export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
