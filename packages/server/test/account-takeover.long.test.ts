import { expect, test } from 'vitest'
import { takeAddresses } from './account-takeover.ts'

test.each([false, true])('100 addresses that another user registered first; with a relay: %s', async (hasRelay) => {
  const seed = Date.now() % 1_000_000
  const report = await takeAddresses({ addresses: 100, steps: 15, seed, hasRelay })
  console.info({ seed, ...report })
  expect(report.wrong, `seed ${seed}`).toEqual([])
  expect(report.proofs).toBeGreaterThan(50)
})
