import { expect, test } from 'vitest'
import { compareLatencies } from './dead-endpoints.ts'

// Long enough for the dead ones to time out and to use all capacity if they could.
test('for half a minute, endpoints that never respond do not delay others', async () => {
  const { alone, besideDead } = await compareLatencies(300)
  expect(besideDead).toBeLessThanOrEqual(3 * alone)
})
