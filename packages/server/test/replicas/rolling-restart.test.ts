import { expect, test } from 'vitest'
import { restartUnderLoad } from '../load/rolling-restarts.ts'
import { freshDatabase } from '../support/postgres.ts'

/** `npm run prove -- --only restarts` has the full counts, and a control in which the same check finds losses. */
const SIZES = { replicas: 2, rounds: 1, mailsPerSecond: 20, waits: 20, streams: 10 }
/** Six processes start, which takes seconds, and minutes on a busy machine. */
const TIMEOUT = { timeout: 300_000 }

test('a rolling restart loses nothing, and waits and streams of the SDK continue', TIMEOUT, async () => {
  const { load, ...found } = await restartUnderLoad({ ...SIZES, databaseUrl: await freshDatabase() })
  expect(found).toEqual({ restarts: 3, uncleanStops: 0, lost: 0, doubled: 0 })
  expect(load).toMatchObject({
    refused: [],
    waitsFailed: 0,
    missingInStreams: 0,
    doubledInStreams: 0,
    disorderedInStreams: 0,
    streamsFailed: 0,
  })
  expect(load.waitsAnswered).toBe(load.accepted)
})
