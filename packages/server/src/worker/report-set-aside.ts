import type { Bucket } from '../bucket/bucket.ts'
import { metadataKey } from '../domain/object-keys.ts'
import type { Log } from '../log.ts'
import type { Report } from './announce.ts'
import { rewriteMetadata } from './announce-stored.ts'
import type { Metadata } from './metadata.ts'

type Ports = { bucket: Pick<Bucket, 'move'>; report: Report; log: Pick<Log, 'warn'> }

/**
 * Tells the API of a mail that was set aside, and notes that it knows. When that fails, a later search of the bucket
 * finds that the API does not know yet.
 */
export async function reportSetAside({ bucket, report, log }: Ports, metadata: Metadata): Promise<boolean> {
  const { id, from, to, setAside } = metadata
  if (setAside === null || setAside.isReported) return true
  try {
    if (!(await report({ id, from, to, reason: setAside.reason }))) return false
    const told: Metadata = { ...metadata, setAside: { ...setAside, isReported: true } }
    await rewriteMetadata(bucket, metadataKey('unprocessed', metadata), told)
    return true
  } catch (error) {
    log.warn({ err: error, id }, 'the API could not be told of a mail that was set aside')
    return false
  }
}
