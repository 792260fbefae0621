/** Bytes to store: in memory if small, otherwise read in chunks from their source. */
export type ObjectBody = Uint8Array | { size: number; chunks: () => AsyncIterable<Uint8Array> }

export type NewObject = { key: string; body: ObjectBody }

export type StoredObject = { size: number; stream: ReadableStream<Uint8Array> }

/** `keysAreNew`: the keys contain a fresh id, so the bucket need not check whether they exist. */
export type PutOptions = { keysAreNew?: boolean }

export type KeyPage = { keys: string[]; cursor: string | null }

/** Keys and bytes only. Keys are ASCII paths such as `raw/<domain>/<mailbox>/<id>.eml`. */
export type Bucket = {
  /**
   * The objects are durable when this resolves. If it rejects, an existing key still has a complete object, old or new,
   * and the objects that this call created are deleted again if the storage allows it. Objects appear in the given order.
   */
  put(objects: NewObject[], options?: PutOptions): Promise<void>
  get(key: string): Promise<StoredObject | null>
  /**
   * Writes `to`, then deletes `from`: a crash in between leaves both. If `from` does not exist, nothing is written, so a
   * deleted object stays deleted; where a move is not atomic, a short race remains. Moving an object to its own key
   * replaces it. With `mayWait`, it may share the sync of the next write.
   */
  move(from: string, to: NewObject, options?: { mayWait?: boolean }): Promise<void>
  /** Missing keys are not an error. */
  remove(keys: string[]): Promise<void>
  /** In key order, strictly after the cursor. */
  list(page: { prefix: string; cursor?: string | undefined; limit: number }): Promise<KeyPage>
  close(): Promise<void>
}

/** The remote storage did not respond or was overloaded, so the state of the objects is unknown. */
export class BucketUnreachable extends Error {}

export function sizeOf(body: ObjectBody): number {
  return body instanceof Uint8Array ? body.byteLength : body.size
}

export async function* chunksOf(body: ObjectBody): AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) yield body
  else yield* body.chunks()
}

export async function bytesOf(object: StoredObject): Promise<Uint8Array> {
  const bytes = new Uint8Array(object.size)
  let length = 0
  for await (const chunk of object.stream) {
    if (length + chunk.byteLength > object.size) throw new Error('An object is larger than its declared size.')
    bytes.set(chunk, length)
    length += chunk.byteLength
  }
  if (length < object.size) throw new Error('An object was deleted while it was read.')
  return bytes
}
