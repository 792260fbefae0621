import { join } from 'node:path'
import { openEmbeddedBucket } from '../../src/bucket/embedded-bucket.ts'
import type { FaultyStorage } from '../../src/bucket/fault-contract.ts'
import { temporaryFolder } from './server.ts'
import type { Fault } from './step-faults.ts'
import { watchWriter } from './watched-writer.ts'

export const DISK_FAULTS: Fault[] = [
  { when: 'before', kind: 'EIO' },
  { when: 'before', kind: 'ENOSPC' },
  { when: 'after', kind: 'EIO' },
]

/** An embedded bucket whose disk fails on demand. */
export function faultyEmbedded(): FaultyStorage {
  const path = join(temporaryFolder(), 'inbox.db')
  const { threadUrl, setFaults } = watchWriter()
  return {
    async open() {
      const bucket = openEmbeddedBucket(path, { threadUrl })
      // The thread receives faults once it runs.
      await bucket.remove(['none'])
      return bucket
    },
    unfinishedUploads: () => [],
    largeBytes: 100_000,
    arm: async (plan) => void (await setFaults('inbox.db', plan)),
    disarm: () => setFaults('inbox.db', null),
  }
}
