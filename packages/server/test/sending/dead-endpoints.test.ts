import { expect, test } from 'vitest'
import { compareLatencies } from './dead-endpoints.ts'

test('endpoints that never answer do not make others wait', async () => {
  const { alone, besideDead } = await compareLatencies(30)
  expect(besideDead).toBeLessThanOrEqual(3 * alone)
})
