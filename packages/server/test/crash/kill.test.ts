import { expect, test } from 'vitest'
import { ACCEPTED_PER_RUN_MIN, killUnderLoad } from './kill-under-load.ts'

const KILLS = 2
const TIMEOUT = { timeout: 300_000 }

test.each(['embedded', 'folder'] as const)(
  `accepted mail survives ${KILLS} kills -9, each once and byte for byte: %s bucket`,
  TIMEOUT,
  async (storage) => {
    const report = await killUnderLoad({ kills: KILLS, storage })
    console.info(report)
    expect(report).toMatchObject({ lost: [], doubled: [], altered: [], unknown: [] })
    // A file that was being written stays; a transaction does not.
    expect(storage === 'folder' || report.strayObjects === 0).toBe(true)
    expect(report.accepted).toBeGreaterThanOrEqual((KILLS - report.killsDuringStart) * ACCEPTED_PER_RUN_MIN)
  },
)
