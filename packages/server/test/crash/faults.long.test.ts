import { afterAll, beforeAll, expect, test } from 'vitest'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { embeddedInbox, folderInbox, r2Inbox, s3Inbox } from './fault-inboxes.ts'
import { runFaults, type FaultyInbox } from './fault-run.ts'

const FAULTS = 2_000
/** Some are streamed, in parts. */
const SIZES = [200, 200, 200, 200, 50_000, 1_200_000]

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
])(
  '%s: 2,000 faults in bucket and database while the API is away cost no accepted mail',
  async (name, openLockedBucket) => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const report = await runFaults({ seed, faults: FAULTS, openLockedBucket, sizes: SIZES })
    console.info(name, JSON.stringify(report))
    expect(report).toMatchObject({ missing: [], twice: [], unreadable: [] })
    expect(report.mails.accepted).toBeGreaterThan(100)
  },
)
