import { randomBytes, randomInt } from 'node:crypto'
import type { RandomInt } from './domain/random-text.ts'
import { uuidv7 } from './domain/uuid.ts'

/** Evenly spread, from the crypto source. */
export const secureRandom: RandomInt = (exclusiveMax) => randomInt(exclusiveMax)

export function newId(now: number): string {
  return uuidv7(now, randomBytes(10))
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
