import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedInbox, folderInbox, r2Inbox, s3Inbox } from './fault-inboxes.ts'
import { runFaults, type FaultRun, type FaultyInbox } from './fault-run.ts'
import { startObjectStorage, type ObjectStorage } from './object-storage.ts'

type Count = Pick<FaultRun, 'faults' | 'sizes'> & { acceptedMin: number }

/** The same run on every kind of bucket, each with its own seed, which is printed. */
export function testFaultsOnEveryBucket({ faults, sizes, acceptedMin }: Count): void {
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
  ])(`%s: ${faults} faults in bucket and database during an API outage lose no accepted mail`, async (name, open) => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const report = await runFaults({ seed, faults, openInbox: open, sizes })
    console.info(name, JSON.stringify(report))
    expect(report).toMatchObject({ missing: [], twice: [], unreadable: [] })
    expect(report.mails.accepted).toBeGreaterThanOrEqual(acceptedMin)
    expect(report.faults.bucket).toBeGreaterThan(0)
  })
}
