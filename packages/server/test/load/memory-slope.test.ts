import { expect, test } from 'vitest'
import { seededRandom } from '../support/seeded-random.ts'
import { slopeOf, type Sample } from './memory-slope.ts'

const SECONDS = 900
const COLLECTED_EVERY_SECONDS = 20

/** Memory that rises until garbage is collected, with noise, and with a leak in MB per hour. */
function memoryOf(seed: number, leakPerHour: number): Sample[] {
  const random = seededRandom(seed)
  return Array.from({ length: SECONDS }, (_, seconds) => ({
    seconds,
    value: 300 + 2 * (seconds % COLLECTED_EVERY_SECONDS) + random.below(1_000) / 100 + (leakPerHour * seconds) / 3_600,
  }))
}

test.each([1, 2, 3, 4, 5])('noise of seed %i has no slope, and a leak of 100 MB/h in it is found', (seed) => {
  const { lowestPerHour, highestPerHour } = slopeOf(memoryOf(seed, 0))
  expect(lowestPerHour).toBeLessThan(36)
  expect(highestPerHour).toBeGreaterThan(-36)
  expect(slopeOf(memoryOf(seed, 100)).lowestPerHour).toBeGreaterThan(36)
})

/** Memory that rises and falls by steps that stay, by chance: for minutes nothing changes. */
function stepsOf(seed: number): Sample[] {
  const random = seededRandom(seed)
  let value = 500
  return Array.from({ length: SECONDS }, (_, seconds) => {
    if (random.below(60) === 0) value += (random.below(1_000) - 500) / 500
    return { seconds, value }
  })
}

test('steps by chance are certain growth in few of 400 cases, and a leak of 100 MB/h in them is found', () => {
  const seeds = Array.from({ length: 400 }, (_, index) => index)
  const certain = seeds.filter((seed) => slopeOf(stepsOf(seed)).lowestPerHour > 0)
  // 2.5 % are expected.
  expect(certain.length).toBeLessThan(25)
  const leaking = seeds.map((seed) =>
    slopeOf(stepsOf(seed).map(({ seconds, value }) => ({ seconds, value: value + (100 * seconds) / 3_600 }))),
  )
  expect(leaking.filter(({ lowestPerHour }) => lowestPerHour <= 0)).toEqual([])
})

/** Memory that has another value each minute, by chance, and none of its rises stays. */
function fluctuating(seed: number): Sample[] {
  const random = seededRandom(seed)
  const values = Array.from({ length: SECONDS / 60 }, () => 535 + random.below(800) / 100)
  return Array.from({ length: SECONDS }, (_, seconds) => ({ seconds, value: values[Math.floor(seconds / 60)]! }))
}

test('rises and falls by chance are certain growth in few of 400 cases, and exclude a leak of 108 MB/h in most', () => {
  const slopes = Array.from({ length: 400 }, (_, seed) => slopeOf(fluctuating(seed)))
  expect(slopes.filter(({ lowestPerHour }) => lowestPerHour > 0).length).toBeLessThan(10)
  expect(slopes.filter(({ highestPerHour }) => highestPerHour < 108).length).toBeGreaterThan(380)
})

test('a straight line has its slope and no interval', () => {
  const line = Array.from({ length: 60 }, (_, index) => ({ seconds: index * 60, value: 100 + index }))
  const { perHour, lowestPerHour, highestPerHour } = slopeOf(line)
  expect(perHour).toBeCloseTo(60)
  expect(highestPerHour - lowestPerHour).toBeCloseTo(0)
})

test('too few samples are an error', () => {
  expect(() => slopeOf([{ seconds: 0, value: 1 }])).toThrow('needs 15 samples')
})
