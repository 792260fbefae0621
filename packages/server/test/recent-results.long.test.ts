import { expect, test } from 'vitest'
import { countUnlucky, HARMLESS_CASES, UNLUCKY_MAX } from './support/simulated-cases.ts'

const seed = Math.floor(Math.random() * 2 ** 31)

test.each(Object.entries(HARMLESS_CASES))(`%s sets almost none aside (seed ${seed})`, (_, cases) => {
  expect(countUnlucky(seed, cases)).toBeLessThanOrEqual(UNLUCKY_MAX)
})
