import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { openEmbeddedBucket } from '../../packages/server/src/bucket/embedded-bucket.ts'
import { metadataKey, rawKey } from '../../packages/server/src/domain/object-keys.ts'
import { mailOfSize } from './mail.ts'

export type BareBucketOptions = { folder: string; sizeBytes: number; loops: number; durationMs: number }

export type BareBucketResult = { mails: number; elapsedMs: number }

/** About the size of a mail's metadata. */
const METADATA_BYTES = 1_200

/** Only the bucket operations of a mail: put raw and metadata, then move the metadata to processed. */
export async function runBareBucket(options: BareBucketOptions): Promise<BareBucketResult> {
  const folder = mkdtempSync(join(options.folder, 'bucket-'))
  const bucket = openEmbeddedBucket(join(folder, 'inbox.db'))
  const raw = mailOfSize({ sizeBytes: options.sizeBytes, recipient: 'load@mailhatch.test' })
  const metadata = Buffer.alloc(METADATA_BYTES, 'm')
  const startedAt = performance.now()
  const until = startedAt + options.durationMs
  let begun = 0
  let mails = 0

  async function keepStoring(): Promise<void> {
    while (performance.now() < until) {
      const id = `019a0000-0000-7000-8000-${(begun++).toString(16).padStart(12, '0')}`
      const message = { domain: 'mailhatch.test', mailbox: 'load', id }
      await bucket.put([
        { key: rawKey(message), body: raw },
        { key: metadataKey('unprocessed', message), body: metadata },
      ])
      await bucket.move(metadataKey('unprocessed', message), { key: metadataKey('processed', message), body: metadata })
      mails++
    }
  }

  await Promise.all(Array.from({ length: options.loops }, keepStoring))
  const elapsedMs = performance.now() - startedAt
  await bucket.close()
  rmSync(folder, { recursive: true })
  return { mails, elapsedMs }
}
