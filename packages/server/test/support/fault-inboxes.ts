import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { openEmbeddedBucket } from '../../src/bucket/embedded-bucket.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { faultyFiles } from './faulty-files.ts'
import { r2Place, s3Place, type ObjectStorage } from './object-storage.ts'
import { seededRandom } from './seeded-random.ts'
import { temporaryFolder } from './server.ts'
import type { Fault, FaultSource } from './step-faults.ts'
import { watchWriter } from './watched-writer.ts'
import type { FaultyInbox } from './fault-run.ts'

const WHEN: Fault['when'][] = ['before', 'after', 'half', 'late']

/** Faults of these kinds at this many of a thousand steps, once it is armed. */
function randomFaults(perMille: number, kinds: readonly string[]) {
  let random: ReturnType<typeof seededRandom> | null = null
  let count = 0
  const faultOf: FaultSource = () => {
    if (!random?.chance(perMille / 1000)) return null
    count++
    return { when: random.pick(WHEN), kind: random.pick(kinds) }
  }
  function turn(seed: number | null): Promise<number> {
    random = seed === null ? null : seededRandom(seed)
    const counted = count
    count = 0
    return Promise.resolve(counted)
  }
  return { faultOf, fail: (seed: number) => turn(seed), heal: () => turn(null) }
}

export async function folderInbox(): Promise<FaultyInbox> {
  const { faultOf, ...faults } = randomFaults(40, ['EIO', 'ENOSPC', 'EMFILE'])
  return { bucket: await openFolderBucket(temporaryFolder(), { files: faultyFiles(faultOf) }), ...faults }
}

/** Its statements fail in the thread that runs them. */
export async function embeddedInbox(): Promise<FaultyInbox> {
  const { threadUrl, setFaults } = watchWriter()
  const bucket = openEmbeddedBucket(join(temporaryFolder(), 'inbox.db'), { threadUrl })
  onTestFinished(() => bucket.close())
  // The thread receives faults once it runs.
  await bucket.remove(['none'])
  return {
    bucket,
    fail: (seed) => setFaults('inbox.db', { seed, perMille: 60 }),
    heal: () => setFaults('inbox.db', null),
  }
}

export async function s3Inbox(storage: ObjectStorage): Promise<FaultyInbox> {
  const kinds = ['cut', '409 OperationAborted', '503 SlowDown', '500 InternalError', '403 AccessDenied']
  const { faultOf, ...faults } = randomFaults(250, kinds)
  return { bucket: await s3Place(storage, faultOf).open(), ...faults }
}

export async function r2Inbox(storage: ObjectStorage): Promise<FaultyInbox> {
  const { faultOf, ...faults } = randomFaults(250, ['cut', '10001', '10043', '10058', '10999'])
  return { bucket: r2Place(storage, faultOf).open(), ...faults }
}

/** How an earlier version undid a failed rewrite of metadata. */
export function withOldUndo(inbox: FaultyInbox): FaultyInbox {
  const { bucket } = inbox
  const move: Bucket['move'] = async (from, to) => {
    try {
      await bucket.move(from, to)
    } catch (error) {
      if (from === to.key) await bucket.remove([from]).catch(() => {})
      throw error
    }
  }
  return { ...inbox, bucket: { ...bucket, move } }
}
