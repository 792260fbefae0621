import { metadataKey, rawKey, type StoredMessage } from '../domain/object-keys.ts'
import type { Bucket, StoredObject } from './bucket.ts'

/** The stored objects of messages, wherever their bucket is. */
export type MessageObjects = {
  raw(message: StoredMessage): Promise<StoredObject | null>
  /** Raw mail and metadata, in whatever state. */
  remove(messages: StoredMessage[]): Promise<void>
}

/** The bucket is another program's, and that one does not answer as it should: nothing is known of the objects. */
export class ObjectsUnreachable extends Error {}

export function objectsIn(bucket: Pick<Bucket, 'get' | 'remove'>): MessageObjects {
  return {
    raw: (message) => bucket.get(rawKey(message)),
    // Raw mail first: while it lies there without metadata, it passes for lost and is announced again.
    async remove(messages) {
      await bucket.remove(messages.map((message) => rawKey(message)))
      await bucket.remove(
        messages.flatMap((message) => [metadataKey('unprocessed', message), metadataKey('processed', message)]),
      )
    },
  }
}
