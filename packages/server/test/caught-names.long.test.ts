import { expect, test } from 'vitest'
import { moveNames } from './caught-names.ts'

test('20,000 random moves of domains and names', async () => {
  const seed = Date.now() % 1_000_000
  const report = await moveNames({ runs: 200, steps: 100, seed })
  console.info({ seed, ...report })
  expect(report.wrong, `seed ${seed}`).toEqual([])
})
