import { expect, test } from 'vitest'
import { folderInbox, withOldUndo } from '../support/fault-inboxes.ts'
import { runFaults } from '../support/fault-run.ts'
import { testFaultsOnEveryBucket } from '../support/fault-tests.ts'

/** The full count is in faults.long.test.ts. */
testFaultsOnEveryBucket({ faults: 15, sizes: [200], acceptedMin: 1 })

test('the run finds what the old undo lost, and the search for raw mail brings it back', async () => {
  const openInbox = async () => withOldUndo(await folderInbox())
  const lost = await runFaults({ seed: 7, faults: 60, openInbox, search: false })
  console.info('old undo, no search', JSON.stringify(lost))
  expect(lost.missing.length).toBeGreaterThan(0)
  const found = await runFaults({ seed: 7, faults: 60, openInbox })
  console.info('old undo, with search', JSON.stringify(found))
  expect(found).toMatchObject({ missing: [], twice: [], unreadable: [] })
  expect(found.restored).toBeGreaterThan(0)
})
