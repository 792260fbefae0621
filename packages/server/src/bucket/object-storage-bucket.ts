import { inGroups } from '../domain/in-groups.ts'
import { partsOf, wholeOf } from './body-parts.ts'
import type { Semaphore } from '../domain/semaphore.ts'
import { sizeOf, type Bucket, type NewObject, type StoredObject } from './bucket.ts'

/**
 * The minimum part size of S3 and R2, and so the minimum that must be in memory. R2 requires all parts but the last to
 * have the same size. 10,000 parts are allowed, which is 48 GiB.
 */
const PART_BYTES = 5 * 1024 * 1024
/** Maximum keys that S3 and R2 list or delete per call. */
const KEYS_PER_CALL_MAX = 1_000
/** Concurrent existence checks. Cloudflare allows a Worker six open connections. */
const CHECKS_AT_ONCE = 6

/** The operations of an object storage. Each is durable when it resolves, but only on its own. */
export type ObjectCalls = {
  putObject(key: string, bytes: Uint8Array): Promise<void>
  startUpload(key: string): Promise<Upload>
  getObject(key: string): Promise<StoredObject | null>
  hasObject(key: string): Promise<boolean>
  /** At most 1,000 keys. Missing keys are not an error. */
  removeObjects(keys: string[]): Promise<void>
  /** In key order. `limit` is at most 1,000; a page may be shorter even if there are more keys. */
  listKeys(page: { prefix: string; after: string | undefined; limit: number }): Promise<KeyList>
}

export type KeyList = { keys: string[]; hasMore: boolean }

/** An object uploaded in parts. It appears once it is complete. */
export type Upload = {
  /** Part numbers start at 1. */
  putPart(number: number, bytes: Uint8Array): Promise<void>
  complete(): Promise<void>
  abort(): Promise<void>
}

/** A bucket on storage without transactions and moves. `limitLarge` limits concurrent large uploads. */
export function createObjectStorageBucket(calls: ObjectCalls, limitLarge: Semaphore = (work) => work()): Bucket {
  function putOne(object: NewObject): Promise<void> {
    const { key, body } = object
    return body instanceof Uint8Array ? calls.putObject(key, body) : limitLarge(() => putLarge(object))
  }

  async function putLarge({ key, body }: NewObject): Promise<void> {
    if (sizeOf(body) <= PART_BYTES) return calls.putObject(key, await wholeOf(body, PART_BYTES))
    const upload = await calls.startUpload(key)
    try {
      let number = 1
      // Each part is stored before the next is read, so that only one is in memory.
      for await (const part of partsOf(body, PART_BYTES)) await upload.putPart(number++, part)
      await upload.complete()
    } catch (error) {
      // If this fails too, the storage's lifecycle rule for unfinished uploads removes the parts.
      await upload.abort().catch(() => {})
      throw error
    }
  }

  async function remove(keys: string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += KEYS_PER_CALL_MAX) {
      await calls.removeObjects(keys.slice(start, start + KEYS_PER_CALL_MAX))
    }
  }

  /** The keys that exist. */
  async function findExisting(keys: string[]): Promise<Set<string>> {
    const existing = new Set<string>()
    await inGroups(keys, CHECKS_AT_ONCE, async (key) => (await calls.hasObject(key)) && existing.add(key))
    return existing
  }

  return {
    async put(objects, { keysAreNew = false } = {}) {
      const existing = keysAreNew ? new Set<string>() : await findExisting(objects.map(({ key }) => key))
      const begun: string[] = []
      try {
        for (const object of objects) {
          // Recorded before the call: if its response is lost, the object may still have been stored.
          begun.push(object.key)
          await putOne(object)
        }
      } catch (error) {
        // Without a 250 the sender retries. If the storage fails here too, the result is at worst a second copy.
        const created = begun.filter((key) => !existing.has(key))
        await remove(created.toReversed()).catch(() => {})
        throw error
      }
    },

    get: calls.getObject,

    async move(from, to) {
      if (!(await calls.hasObject(from))) return
      await putOne(to)
      if (from !== to.key) await remove([from])
    },

    remove,

    async list({ prefix, cursor, limit }) {
      const keys: string[] = []
      let hasMore = true
      while (hasMore && keys.length < limit) {
        const after = keys.at(-1) ?? cursor
        const page = await calls.listKeys({ prefix, after, limit: Math.min(limit - keys.length, KEYS_PER_CALL_MAX) })
        if (page.hasMore && page.keys.length === 0)
          throw new Error('The storage returned an empty page but reported more keys.')
        keys.push(...page.keys)
        hasMore = page.hasMore
      }
      return { keys, cursor: hasMore ? (keys.at(-1) ?? null) : null }
    },

    async close() {},
  }
}
