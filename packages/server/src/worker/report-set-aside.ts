import type { Bucket } from '../bucket/bucket.ts'
import { metadataKey } from '../domain/object-keys.ts'
import type { Log } from '../observe/log.ts'
import type { Report } from './announce.ts'
import { rewriteMetadata } from './announce-stored.ts'
import type { Metadata } from './metadata.ts'

export type ReportPorts = { bucket: Pick<Bucket, 'move'>; report: Report; log: Pick<Log, 'warn'> }

/**
 * Reports a set-aside mail to the API and records that it knows. If that fails, a later search of the bucket finds the
 * unreported mail and reports it again.
 */
export async function reportSetAside({ bucket, report, log }: ReportPorts, metadata: Metadata): Promise<boolean> {
  const { id, from, to, setAside } = metadata
  if (setAside === null || setAside.isReported) return true
  try {
    if (!(await report({ id, from, to, reason: setAside.reason }))) return false
    const reported: Metadata = { ...metadata, setAside: { ...setAside, isReported: true } }
    await rewriteMetadata(bucket, metadataKey('unprocessed', metadata), reported)
    return true
  } catch (error) {
    log.warn({ err: error, id }, 'reporting a set-aside mail to the API failed')
    return false
  }
}
