import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/server.ts'
import { ACCEPTED_PER_LIFE_MIN, crashUnderLoad } from './crash-under-load.ts'
import { allInOne, folderStorage } from './installations.ts'

/** `npm run prove` has 200. */
const KILLS = 1
const CONNECTIONS = 6

test.each(['embedded', 'folder'] as const)(
  'accepted mail survives a kill -9, each once and byte for byte: %s bucket',
  async (kind) => {
    const storage = kind === 'folder' ? folderStorage(join(temporaryFolder(), 'mail')) : undefined
    const installation = await allInOne({ ...(storage && { storage }) })
    const seed = randomInt(2 ** 31)
    const report = await crashUnderLoad({ installation, crashes: KILLS, connections: CONNECTIONS, seed })
    console.info(seed, report)
    expect(report).toMatchObject({ lost: [], forgotten: [], doubled: [], altered: [], unknown: [] })
    // A file that was being written stays; a transaction does not.
    expect(kind === 'folder' || report.strayObjects === 0).toBe(true)
    expect(report.accepted).toBeGreaterThanOrEqual((KILLS - report.crashesDuringStart) * ACCEPTED_PER_LIFE_MIN)
  },
)
