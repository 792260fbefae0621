import { expect, inject, test } from 'vitest'
import { ACCEPTED_A_LIFE_MIN, killUnderLoad } from './kill-under-load.ts'

/** Fewer on PostgreSQL: the part that keeps accepted mail is the same, only announcing it meets another database. */
const KILLS = inject('postgresUrl') ? 10 : 20

test(
  `mail that was accepted survives ${KILLS} kills -9, each once and byte for byte`,
  { timeout: 120_000 },
  async () => {
    const report = await killUnderLoad({ kills: KILLS, storage: 'embedded' })
    console.info(report)
    expect(report).toMatchObject({ lost: [], doubled: [], altered: [], unknown: [], strayObjects: 0 })
    expect(report.accepted).toBeGreaterThanOrEqual((KILLS - report.killsDuringStart) * ACCEPTED_A_LIFE_MIN)
  },
)

test('mail kept as files survives 5 kills -9, each once and byte for byte', { timeout: 120_000 }, async () => {
  const report = await killUnderLoad({ kills: 5, storage: 'folder' })
  console.info(report)
  expect(report).toMatchObject({ lost: [], doubled: [], altered: [], unknown: [] })
  expect(report.accepted).toBeGreaterThanOrEqual((5 - report.killsDuringStart) * ACCEPTED_A_LIFE_MIN)
})
