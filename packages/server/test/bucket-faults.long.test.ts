import { afterAll, beforeAll } from 'vitest'
import { describeBucket, describeManyKeys } from '../src/bucket/bucket-contract.ts'
import { describeFaults, EVERY_LASTING } from '../src/bucket/fault-contract.ts'
import { DISK_FAULTS, faultyEmbedded } from './support/faulty-embedded.ts'
import { faultyFolder } from './support/faulty-folder.ts'
import { embeddedPlace, folderPlace } from './support/local-buckets.ts'
import { r2Place, s3Place, startObjectStorage, type ObjectStorage } from './support/object-storage.ts'
import { faultSwitch, type Fault } from './support/step-faults.ts'

let storage: ObjectStorage
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.close())

describeBucket('embedded bucket', embeddedPlace)
describeBucket('folder bucket', folderPlace)
describeBucket('R2 bucket in workerd', () => r2Place(storage))
describeBucket('S3 bucket over HTTP', () => s3Place(storage))
describeManyKeys('folder bucket', folderPlace)
describeManyKeys('R2 bucket in workerd', () => r2Place(storage))
describeManyKeys('S3 bucket over HTTP', () => s3Place(storage))

const LARGE_BYTES = 5 * 1024 * 1024 + 1

const R2_FAULTS: Fault[] = [
  // Two that R2 calls temporary, one that it does not, and a connection that breaks before and after the call.
  { when: 'before', kind: '10001' },
  { when: 'before', kind: '10058' },
  { when: 'before', kind: '10999' },
  { when: 'before', kind: 'cut' },
  { when: 'after', kind: 'cut' },
]

describeFaults('R2 bucket in workerd', { faults: R2_FAULTS, faultsOfLarge: R2_FAULTS }, () => {
  const { faultOf, ...faults } = faultSwitch()
  return { ...r2Place(storage, faultOf), ...faults, largeBytes: LARGE_BYTES }
})

const S3_FAULTS: Fault[] = [
  { when: 'before', kind: '409 OperationAborted' },
  { when: 'before', kind: '503 SlowDown' },
  { when: 'before', kind: '500 InternalError' },
  { when: 'after', kind: '500 InternalError' },
  { when: 'before', kind: '403 AccessDenied' },
  { when: 'before', kind: 'cut' },
  { when: 'after', kind: 'cut' },
]

describeFaults('S3 bucket over HTTP', { faults: S3_FAULTS, faultsOfLarge: S3_FAULTS }, () => {
  const { faultOf, ...faults } = faultSwitch()
  return { ...s3Place(storage, faultOf), ...faults, largeBytes: LARGE_BYTES }
})

const FILE_FAULTS = ['EIO', 'ENOSPC', 'EMFILE'].flatMap((kind): Fault[] => [
  { when: 'before', kind },
  { when: 'after', kind },
  { when: 'half', kind },
])

/** Includes each step of the undo. */
const LASTING = [...EVERY_LASTING, 1, 2, 3, 4, 5, 6]

describeFaults('folder bucket', { faults: FILE_FAULTS, faultsOfLarge: FILE_FAULTS, lasting: LASTING }, faultyFolder)

describeFaults('embedded bucket', { faults: DISK_FAULTS, faultsOfLarge: DISK_FAULTS }, faultyEmbedded)
