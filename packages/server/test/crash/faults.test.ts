import { expect, test } from 'vitest'
import { folderInbox, withOldUndo } from '../support/fault-inboxes.ts'
import { runFaults } from '../support/fault-run.ts'
import { testFaultsOnEveryBucket } from '../support/fault-tests.ts'

/** The full count is in faults.long.test.ts. */
testFaultsOnEveryBucket({ faults: 15, sizes: [200], acceptedMin: 1 })

test('control: the run detects mail lost by the old undo, and the search for raw mail restores it', async () => {
  const openInbox = async () => withOldUndo(await folderInbox())
  const lost = await runFaults({ seed: 7, faults: 60, openInbox, search: false })
  console.info('old undo, no search', JSON.stringify(lost))
  expect(lost.missing.length).toBeGreaterThan(0)
  const found = await runFaults({ seed: 7, faults: 60, openInbox })
  console.info('old undo, with search', JSON.stringify(found))
  expect(found).toMatchObject({ missing: [], twice: [], unreadable: [] })
  expect(found.restored).toBeGreaterThan(0)
})
