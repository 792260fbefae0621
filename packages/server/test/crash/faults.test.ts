import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedInbox, folderInbox, r2Inbox, s3Inbox, withOldUndo } from '../support/fault-inboxes.ts'
import { runFaults, type FaultyInbox } from '../support/fault-run.ts'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'

// A few faults at random. In prove/faults.prove.ts, every call fails in every way.

const FAULTS = 8
/** With fewer, it may be that none is lost. */
const CONTROL_FAULTS = 60

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
])(`%s: ${FAULTS} faults in bucket and database during an API outage lose no accepted mail`, async (name, open) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const report = await runFaults({ seed, faults: FAULTS, openInbox: open })
  console.info(name, JSON.stringify(report))
  expect(report).toMatchObject({ missing: [], twice: [], unreadable: [] })
  expect(report.mails.accepted).toBeGreaterThan(0)
  expect(report.faults.bucket).toBeGreaterThan(0)
})

test('control: the run detects mail lost by the old undo, and the search for raw mail restores it', async () => {
  const openInbox = async () => withOldUndo(await folderInbox())
  const lost = await runFaults({ seed: 7, faults: CONTROL_FAULTS, openInbox, search: false })
  console.info('old undo, no search', JSON.stringify(lost))
  expect(lost.missing.length).toBeGreaterThan(0)
  const found = await runFaults({ seed: 7, faults: CONTROL_FAULTS, openInbox })
  console.info('old undo, with search', JSON.stringify(found))
  expect(found).toMatchObject({ missing: [], twice: [], unreadable: [] })
  expect(found.restored).toBeGreaterThan(0)
})
