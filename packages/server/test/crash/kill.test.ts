import { expect, test } from 'vitest'
import { killUnderLoad } from './kill-under-load.ts'

test('mail that was accepted survives 20 kills -9, each once and byte for byte', { timeout: 120_000 }, async () => {
  const report = await killUnderLoad({ kills: 20, storage: 'embedded' })
  console.info(report)
  expect(report).toMatchObject({ lost: [], doubled: [], altered: [], unknown: [], strayObjects: 0 })
  expect(report.accepted).toBeGreaterThan(100)
})

test('mail kept as files survives 5 kills -9, each once and byte for byte', { timeout: 120_000 }, async () => {
  const report = await killUnderLoad({ kills: 5, storage: 'folder' })
  console.info(report)
  expect(report).toMatchObject({ lost: [], doubled: [], altered: [], unknown: [] })
  expect(report.accepted).toBeGreaterThan(20)
})
