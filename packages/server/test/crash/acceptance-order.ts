import type { Bucket } from '../../src/bucket/bucket.ts'
import { metadataPrefix } from '../../src/domain/object-keys.ts'
import { decodeMetadata } from '../../src/worker/metadata.ts'
import { keysIn, readObject } from '../support/stored-mail.ts'

/** Times by a clock that all threads share. */
export type Moments = {
  /** When each object would survive a power cut. */
  durable: Map<string, bigint>
  /** When the receiver finished each mail, by its tag, and may reply. */
  taken: Map<string, bigint>
  /** When the client read the 250 of each mail, by its tag. */
  accepted: Map<string, bigint>
}

/** Every mail that was accepted before all of it was on the disk, and what was late. */
export async function findEarlyAcceptances({ durable, taken, accepted }: Moments, bucket: Bucket): Promise<string[]> {
  const early: string[] = []
  for (const key of await keysIn(bucket, metadataPrefix('unprocessed'))) {
    const metadata = decodeMetadata(await readObject(bucket, key))
    const tag = metadata.tag ?? ''
    for (const object of [metadata.rawKey, key]) {
      if (!isBefore(durable.get(object), taken.get(tag))) early.push(`${tag} was taken before ${object} was durable`)
    }
    if (!isBefore(taken.get(tag), accepted.get(tag))) early.push(`${tag} was accepted before it was taken`)
  }
  return early
}

function isBefore(first: bigint | undefined, second: bigint | undefined): boolean {
  return first !== undefined && second !== undefined && first < second
}
