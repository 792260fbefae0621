import { expect, test } from 'vitest'
import { killUnderLoad } from './kill-under-load.ts'

const TIMEOUT = { timeout: 30 * 60_000 }

test('accepted mail survives 200 kills -9, each once and byte for byte', TIMEOUT, async () => {
  const report = await killUnderLoad({ kills: 200, storage: 'embedded' })
  console.info(report)
  expect(report).toMatchObject({ lost: [], doubled: [], altered: [], unknown: [], strayObjects: 0 })
  expect(report.accepted).toBeGreaterThan(5_000)
})

test('mail kept as files survives 50 kills -9, each once and byte for byte', TIMEOUT, async () => {
  const report = await killUnderLoad({ kills: 50, storage: 'folder' })
  console.info(report)
  expect(report).toMatchObject({ lost: [], doubled: [], altered: [], unknown: [] })
  expect(report.accepted).toBeGreaterThan(1_000)
})
