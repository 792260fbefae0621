import { randomBytes, randomInt } from 'node:crypto'
import type { RandomInt } from './domain/random-text.ts'
import { uuidv7 } from './domain/uuid.ts'

const RANDOM_BYTES_PER_ID = 10
// Asking the crypto source costs the same for one id as for hundreds.
const POOL_BYTES = 400 * RANDOM_BYTES_PER_ID
let pool = new Uint8Array(0)

/** Evenly spread, from the crypto source. */
export const secureRandom: RandomInt = (exclusiveMax) => randomInt(exclusiveMax)

export function newId(now: number): string {
  if (pool.length < RANDOM_BYTES_PER_ID) pool = randomBytes(POOL_BYTES)
  const random = pool.subarray(0, RANDOM_BYTES_PER_ID)
  pool = pool.subarray(RANDOM_BYTES_PER_ID)
  return uuidv7(now, random)
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
