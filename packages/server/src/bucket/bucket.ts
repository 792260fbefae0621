/** Bytes to store: in memory when small, else read piece by piece from where they lie. */
export type Body = Uint8Array | { size: number; chunks: () => AsyncIterable<Uint8Array> }

export type NewObject = { key: string; body: Body }

export type StoredObject = { size: number; stream: ReadableStream<Uint8Array> }

/** Keys with a fresh id need no look at what is there before they are written. */
export type PutOptions = { keysAreNew?: boolean }

export type KeyPage = { keys: string[]; cursor: string | null }

/** Keys and bytes, nothing else. Keys are ASCII paths such as `raw/<domain>/<mailbox>/<id>.eml`. */
export type Bucket = {
  /**
   * Durable when it resolves. When it rejects, a key that was there has a whole object, the old or the new one, and what
   * this call created is removed again as far as the storage allows. Later ones are seen no earlier.
   */
  put(objects: NewObject[], options?: PutOptions): Promise<void>
  get(key: string): Promise<StoredObject | null>
  /**
   * Writes `to`, then removes `from`: a crash in between leaves both, never neither. Without `from` nothing is
   * written, so that what was removed stays removed; where a move is not atomic, a moment remains in which it may not.
   * To its own key it replaces the object.
   */
  move(from: string, to: NewObject): Promise<void>
  /** Absent keys are fine. */
  remove(keys: string[]): Promise<void>
  /** In order of key, strictly after the cursor. */
  list(page: { prefix: string; cursor?: string | undefined; limit: number }): Promise<KeyPage>
  close(): Promise<void>
}

/** The storage is elsewhere, and did not answer or had too much to do: nothing is known of the objects. */
export class BucketUnreachable extends Error {}

export function sizeOf(body: Body): number {
  return body instanceof Uint8Array ? body.byteLength : body.size
}

export async function* chunksOf(body: Body): AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) yield body
  else yield* body.chunks()
}

export async function bytesOf(object: StoredObject): Promise<Uint8Array> {
  const bytes = new Uint8Array(object.size)
  let length = 0
  for await (const chunk of object.stream) {
    if (length + chunk.byteLength > object.size) throw new Error('An object is larger than it said.')
    bytes.set(chunk, length)
    length += chunk.byteLength
  }
  if (length < object.size) throw new Error('An object was removed while it was read.')
  return bytes
}
