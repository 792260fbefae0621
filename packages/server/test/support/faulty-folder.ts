import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FaultyStorage } from '../../src/bucket/fault-contract.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { faultyFiles } from './faulty-files.ts'
import { temporaryFolder } from './server.ts'
import { faultSwitch } from './step-faults.ts'

/** A folder bucket whose file system fails on demand. */
export function faultyFolder(): FaultyStorage {
  const root = temporaryFolder()
  const { faultOf, arm, disarm } = faultSwitch()
  return {
    open: () => openFolderBucket(root, { files: faultyFiles(faultOf) }),
    unfinishedUploads: () => readdirSync(join(root, '.incoming')),
    largeBytes: 100_000,
    arm,
    disarm,
  }
}
