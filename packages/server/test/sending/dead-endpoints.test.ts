import { expect, test } from 'vitest'
import { compareLatencies } from './dead-endpoints.ts'

/** With few messages on a busy machine, one pause decides a round. */
const ROUNDS_MAX = 3

test('endpoints that never respond do not delay others', async () => {
  const ratios: number[] = []
  while (ratios.length < ROUNDS_MAX && !ratios.some((ratio) => ratio <= 3)) {
    const { alone, besideDead } = await compareLatencies(30)
    ratios.push(besideDead / alone)
  }
  expect(Math.min(...ratios)).toBeLessThanOrEqual(3)
})
