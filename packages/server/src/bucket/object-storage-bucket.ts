import { partsOf, wholeOf } from './body-parts.ts'
import type { InTurn } from '../domain/turns.ts'
import { sizeOf, type Bucket, type NewObject, type StoredObject } from './bucket.ts'

/**
 * The least that S3 and R2 take for a part, and so the least that must be in memory. R2 wants all parts but the last
 * to be of one size; 10,000 of them are allowed, which is 48 GiB.
 */
const PART_BYTES = 5 * 1024 * 1024
/** What S3 and R2 list or remove in one call. */
const KEYS_PER_CALL_MAX = 1_000
/** Keys that are looked for at once; Cloudflare lets a Worker have six connections. */
const LOOKS_AT_ONCE = 6

/** What an object storage offers: each call is durable when it resolves, and only that call. */
export type ObjectCalls = {
  putObject(key: string, bytes: Uint8Array): Promise<void>
  startUpload(key: string): Promise<Upload>
  getObject(key: string): Promise<StoredObject | null>
  hasObject(key: string): Promise<boolean>
  /** At most 1,000; absent keys are fine. */
  removeObjects(keys: string[]): Promise<void>
  /** In order of key; `limit` is 1,000 at most, and fewer may come although there is more. */
  listKeys(page: { prefix: string; after: string | undefined; limit: number }): Promise<KeyList>
}

export type KeyList = { keys: string[]; hasMore: boolean }

/** An object that comes in parts and is there once it is complete. */
export type Upload = {
  /** Numbers begin at 1. */
  putPart(number: number, bytes: Uint8Array): Promise<void>
  complete(): Promise<void>
  abort(): Promise<void>
}

/** A bucket on storage that knows neither transactions nor moves. Large bodies are put in turn. */
export function createObjectStorageBucket(calls: ObjectCalls, inTurn: InTurn = (work) => work()): Bucket {
  function putOne(object: NewObject): Promise<void> {
    const { key, body } = object
    return body instanceof Uint8Array ? calls.putObject(key, body) : inTurn(() => putLarge(object))
  }

  async function putLarge({ key, body }: NewObject): Promise<void> {
    if (sizeOf(body) <= PART_BYTES) return calls.putObject(key, await wholeOf(body, PART_BYTES))
    const upload = await calls.startUpload(key)
    try {
      let number = 1
      // Each part is stored before the next is pulled, so that no more than one is in memory.
      for await (const part of partsOf(body, PART_BYTES)) await upload.putPart(number++, part)
      await upload.complete()
    } catch (error) {
      // If this fails too, the parts stay until the storage's rule for unfinished uploads removes them.
      await upload.abort().catch(() => {})
      throw error
    }
  }

  async function remove(keys: string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += KEYS_PER_CALL_MAX) {
      await calls.removeObjects(keys.slice(start, start + KEYS_PER_CALL_MAX))
    }
  }

  /** Those of the keys that are there. */
  async function findThere(keys: string[]): Promise<Set<string>> {
    const there = new Set<string>()
    for (let start = 0; start < keys.length; start += LOOKS_AT_ONCE) {
      const look = async (key: string) => (await calls.hasObject(key)) && there.add(key)
      await Promise.all(keys.slice(start, start + LOOKS_AT_ONCE).map(look))
    }
    return there
  }

  return {
    async put(objects, { keysAreNew = false } = {}) {
      const kept = keysAreNew ? new Set<string>() : await findThere(objects.map(({ key }) => key))
      const begun: string[] = []
      try {
        for (const object of objects) {
          // Before the call: one whose answer was lost may have been stored all the same.
          begun.push(object.key)
          await putOne(object)
        }
      } catch (error) {
        // Without its answer the sender tries again; what a storage in trouble keeps is a second copy at worst.
        const created = begun.filter((key) => !kept.has(key))
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
          throw new Error('The storage listed nothing and said there is more.')
        keys.push(...page.keys)
        hasMore = page.hasMore
      }
      return { keys, cursor: hasMore ? (keys.at(-1) ?? null) : null }
    },

    async close() {},
  }
}
