import { expect, inject, test } from 'vitest'
import { resumeUnderLoad } from './stream-resume.ts'

/** On PostgreSQL it is the same code on another store: fewer clients find the same faults, in less time. */
const CLIENTS = inject('postgresUrl') ? 100 : 500

test(
  `${CLIENTS} clients that lose their connection 20 times each see every match once and in order`,
  { timeout: 300_000 },
  async () => {
    const sizes = { clients: CLIENTS, reconnects: 20, messages: 2_000, seed: 7 }
    const report = await resumeUnderLoad(sizes)
    console.info(report)
    expect(report.wrong).toEqual([])
    expect(report.connections).toBe(sizes.clients * (sizes.reconnects + 1))
    expect(report.frames).toBeGreaterThan(sizes.clients * 200)
  },
)
