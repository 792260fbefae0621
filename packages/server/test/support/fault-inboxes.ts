import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { openEmbeddedBucket } from '../../src/bucket/embedded-bucket.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { S3_TIMING } from '../../src/bucket/s3-client.ts'
import { openFaultyPort, type FaultyPort, type Kind } from './call-faults.ts'
import { diskCode, diskFailure } from './fault-databases.ts'
import { faultyFiles } from './faulty-files.ts'
import { r2Place, s3Place, type ObjectStorage } from './object-storage.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { FaultSource } from './step-faults.ts'
import { temporaryFolder } from './server.ts'
import { watchWriter } from './watched-writer.ts'

/** A bucket that fails on demand, and another way to the same objects, which does not. */
export type FaultyInbox = { faulty: FaultyPort<Bucket>; view: Bucket }

export type InboxOptions = {
  random: SeededRandom
  /** The time limits for S3: those of the product as they are or divided, or none that a test reaches. */
  s3Limits: 'none' | { dividedBy: number }
}

/** Reading an object breaks in the middle of its bytes; everything else fails at some step. */
function placeOf(call: string, kind: Kind): 'call' | 'steps' {
  return call === 'get' && kind === 'half done' ? 'call' : 'steps'
}

export async function folderInbox(): Promise<FaultyInbox> {
  const root = temporaryFolder()
  const open = (faultOf: FaultSource) => openFolderBucket(root, { files: faultyFiles(faultOf) })
  const faulty = await openFaultyPort<Bucket>({ open, placeOf, codeOf: diskCode, fail: diskFailure })
  return { faulty, view: await openFolderBucket(root, { toPut: false }) }
}

/** Its transactions fail in the thread that runs them. */
export async function embeddedInbox(): Promise<FaultyInbox> {
  const path = join(temporaryFolder(), 'inbox.db')
  const { threadUrl, transactionsOf } = watchWriter()
  const writing = transactionsOf('inbox.db')
  const faulty = await openFaultyPort<Bucket>({
    open: () => openEmbeddedBucket(path, threadUrl),
    placeOf: (call) => (call === 'get' || call === 'list' ? 'call' : writing),
    codeOf: diskCode,
    fail: diskFailure,
  })
  // The thread receives faults once it runs.
  await faulty.port.remove(['none'])
  const view = openEmbeddedBucket(path)
  onTestFinished(async () => void (await Promise.all([faulty.port.close(), view.close()])))
  return { faulty, view }
}

const S3_CODES = ['cut', '409 OperationAborted', '503 SlowDown', '500 InternalError', '403 AccessDenied']
/** That of a full MinIO. */
const S3_FULL = '507 XMinioStorageFull'

export async function s3Inbox(storage: ObjectStorage, { random, s3Limits }: InboxOptions): Promise<FaultyInbox> {
  const timing = s3Limits === 'none' ? undefined : dividedTiming(s3Limits.dividedBy)
  const placeFor = (faultOf: FaultSource) => s3Place(storage, faultOf, timing)
  const codeOf = (kind: Kind) => (kind === 'disk full' ? S3_FULL : random.pick(S3_CODES))
  return remoteInbox(placeFor, codeOf)
}

function dividedTiming(by: number): typeof S3_TIMING {
  const { interactive, background, pauseMs } = S3_TIMING
  const divided = ({ responseMs, retryForMs }: typeof interactive) => ({
    responseMs: responseMs / by,
    retryForMs: retryForMs / by,
  })
  return { interactive: divided(interactive), background: divided(background), pauseMs: pauseMs / by }
}

/** Two that R2 calls temporary, two that it does not, and a connection that breaks. */
const R2_CODES = ['cut', '10001', '10043', '10058', '10999']
const R2_FULL = '10999'

export async function r2Inbox(storage: ObjectStorage, { random }: InboxOptions): Promise<FaultyInbox> {
  const codeOf = (kind: Kind) => (kind === 'disk full' ? R2_FULL : random.pick(R2_CODES))
  return remoteInbox((faultOf) => r2Place(storage, faultOf), codeOf)
}

type Place = { open: () => Bucket | Promise<Bucket>; openView: () => Bucket | Promise<Bucket> }

async function remoteInbox(
  placeFor: (faultOf: FaultSource) => Place,
  codeOf: (kind: Kind) => string,
): Promise<FaultyInbox> {
  let place: Place | null = null
  const open = (faultOf: FaultSource) => (place = placeFor(faultOf)).open()
  const faulty = await openFaultyPort<Bucket>({ open, placeOf, codeOf, fail: diskFailure })
  return { faulty, view: await place!.openView() }
}

/** How an earlier version undid a failed rewrite of metadata. */
export function withOldUndo(bucket: Bucket): Bucket {
  const move: Bucket['move'] = async (from, to) => {
    try {
      await bucket.move(from, to)
    } catch (error) {
      if (from === to.key) await bucket.remove([from]).catch(() => {})
      throw error
    }
  }
  return { ...bucket, move }
}

/** Reports every mail as stored. */
export function withoutErrors(bucket: Bucket): Bucket {
  return { ...bucket, put: (objects, options) => bucket.put(objects, options).catch(() => {}) }
}
