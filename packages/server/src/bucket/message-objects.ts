import { metadataKey, rawKey, type MessageLocation } from '../domain/object-keys.ts'
import type { Bucket, StoredObject } from './bucket.ts'

/** The stored objects of messages in any kind of bucket. */
export type MessageObjects = {
  raw(message: MessageLocation): Promise<StoredObject | null>
  /** Deletes raw mail and metadata in every status. */
  remove(messages: MessageLocation[]): Promise<void>
}

/** The bucket belongs to another program, which failed to respond properly. The state of the objects is unknown. */
export class ObjectsUnreachable extends Error {}

export function objectsIn(bucket: Pick<Bucket, 'get' | 'remove'>): MessageObjects {
  return {
    raw: (message) => bucket.get(rawKey(message)),
    // Raw mail first: raw mail without metadata looks lost and would be announced again.
    async remove(messages) {
      await bucket.remove(messages.map((message) => rawKey(message)))
      await bucket.remove(
        messages.flatMap((message) => [metadataKey('unprocessed', message), metadataKey('processed', message)]),
      )
    },
  }
}
