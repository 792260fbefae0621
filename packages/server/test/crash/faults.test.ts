import { afterAll, beforeAll, expect, test } from 'vitest'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { embeddedInbox, folderInbox, r2Inbox, s3Inbox, withOldUndo } from './fault-inboxes.ts'
import { runFaults, type FaultyInbox } from './fault-run.ts'

/** The full count is in faults.long.test.ts. */
const FAULTS = 15

let storage: ObjectStorage
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.close())

test.each<[string, () => Promise<FaultyInbox>]>([
  ['embedded', embeddedInbox],
  ['folder', folderInbox],
  ['S3', () => s3Inbox(storage)],
  ['R2', () => r2Inbox(storage)],
])('%s: faults in bucket and database while the API is away cost no accepted mail', async (name, openLockedBucket) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const report = await runFaults({ seed, faults: FAULTS, openLockedBucket })
  console.info(name, JSON.stringify(report))
  expect(report).toMatchObject({ missing: [], twice: [], unreadable: [] })
  expect(report.mails.accepted).toBeGreaterThan(0)
  expect(report.faults.bucket).toBeGreaterThan(0)
})

test('the run finds what the old undo lost, and the search for raw mail brings it back', async () => {
  const openLockedBucket = async () => withOldUndo(await folderInbox())
  const lost = await runFaults({ seed: 7, faults: 60, openLockedBucket, search: false })
  console.info('old undo, no search', JSON.stringify(lost))
  expect(lost.missing.length).toBeGreaterThan(0)
  const found = await runFaults({ seed: 7, faults: 60, openLockedBucket })
  console.info('old undo, with search', JSON.stringify(found))
  expect(found).toMatchObject({ missing: [], twice: [], unreadable: [] })
  expect(found.restored).toBeGreaterThan(0)
})
