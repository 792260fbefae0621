import { describe, expect, test } from 'vitest'
import { bytesOf, type Bucket } from './bucket.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function read(bucket: Bucket, key: string): Promise<string | null> {
  const object = await bucket.get(key)
  return object && new TextDecoder().decode(await bytesOf(object))
}

async function digest(content: Uint8Array): Promise<string> {
  // It is never shared memory, which the type allows and `digest` does not.
  const hash = await crypto.subtle.digest('SHA-256', content as Uint8Array<ArrayBuffer>)
  return Array.from(new Uint8Array(hash)).join(' ')
}

async function listAll(bucket: Bucket, prefix: string, limit: number): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await bucket.list({ prefix, cursor, limit })
    pages.push(page.keys)
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined)
  return pages
}

/** Thousands of requests to a remote bucket. Takes seconds when the machine is idle. */
const MANY_REQUESTS = { timeout: 240_000 }
/** Skips the existence check of each key. */
const NEW = { keysAreNew: true }
/** The maximum that may be read from a body but not stored yet. */
const UNSTORED_BYTES_MAX = 8 * 1024 * 1024

/** Empty storage for a bucket, and what a test can observe of it from outside. */
export type BucketUnderTest = {
  /** Opens the same storage again on each call. */
  open: () => Bucket | Promise<Bucket>
  /** Bytes stored so far, including those of incomplete bodies. */
  storedBytes: () => number
  /** Uploads that were started and not completed. */
  unfinishedUploads: () => string[] | Promise<string[]>
}

/** The largest mail. */
const LARGE_MEBIBYTES = 25

/** What every bucket must do. Over HTTP, a large body of fewer MiB has as many kinds of parts. */
export function describeBucket(
  name: string,
  storage: () => BucketUnderTest,
  { largeMebibytes = LARGE_MEBIBYTES } = {},
): void {
  describe(name, () => {
    test('a stored object is identical byte for byte, also after reopening', async () => {
      const { open } = storage()
      const first = await open()
      const content = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256)
      await first.put([{ key: 'raw/in.test/qa/1.eml', body: content }])
      expect(await bytesOf((await first.get('raw/in.test/qa/1.eml'))!)).toEqual(content)
      await first.close()
      const second = await open()
      expect(await bytesOf((await second.get('raw/in.test/qa/1.eml'))!)).toEqual(content)
      await second.close()
    })

    test('a large body in chunks is stored completely, once for several keys', async () => {
      const bucket = await storage().open()
      const piece = new Uint8Array(700_001).fill(7)
      async function* chunks() {
        for (let count = 0; count < 5; count++) yield piece
      }
      const body = { size: piece.length * 5, chunks }
      await bucket.put([
        { key: 'raw/a', body },
        { key: 'raw/b', body },
      ])
      await bucket.remove(['raw/a'])
      expect(await bucket.get('raw/a')).toBeNull()
      const kept = await bytesOf((await bucket.get('raw/b'))!)
      expect(kept.length).toBe(piece.length * 5)
      expect(kept.every((byte) => byte === 7)).toBe(true)
      await bucket.close()
    })

    test('a body that fails midway leaves nothing behind', async () => {
      const bucket = await storage().open()
      async function* breaking() {
        yield new Uint8Array(2_000_000)
        throw new Error('the spool file broke')
      }
      const objects = [
        { key: 'raw/whole', body: bytes('whole') },
        { key: 'raw/broken', body: { size: 4_000_000, chunks: breaking } },
      ]
      await expect(bucket.put(objects)).rejects.toThrow('the spool file broke')
      expect((await bucket.list({ prefix: '', limit: 10 })).keys).toEqual([])
      await bucket.close()
    })

    test('a large body that fails midway leaves nothing behind, not even its parts', async () => {
      const { open, unfinishedUploads } = storage()
      const bucket = await open()
      async function* breaking() {
        for (let count = 0; count < 13; count++) yield new Uint8Array(1024 * 1024)
        throw new Error('the spool file broke')
      }
      const broken = { key: 'raw/broken', body: { size: 26 * 1024 * 1024, chunks: breaking } }
      await expect(bucket.put([broken, { key: 'raw/next', body: bytes('next') }])).rejects.toThrow(
        'the spool file broke',
      )
      expect((await bucket.list({ prefix: '', limit: 10 })).keys).toEqual([])
      expect(await unfinishedUploads()).toEqual([])
      await bucket.close()
    })

    test(`${largeMebibytes} MiB pass byte for byte, with at most 8 MiB read ahead`, MANY_REQUESTS, async () => {
      const { open, storedBytes, unfinishedUploads } = storage()
      const bucket = await open()
      const size = largeMebibytes * 1024 * 1024
      const content = new Uint8Array(size)
      for (let index = 0; index < size; index++) content[index] = index * 7 + (index >> 8) * 13
      let pulled = 0
      let unstoredMax = 0
      async function* counting() {
        for (let start = 0; start < size; start += 61_001) {
          const chunk = content.slice(start, start + 61_001)
          pulled += chunk.byteLength
          unstoredMax = Math.max(unstoredMax, pulled - storedBytes())
          yield chunk
        }
      }
      await bucket.put([{ key: 'raw/large', body: { size, chunks: counting } }])
      expect(pulled).toBe(size)
      expect(storedBytes()).toBeGreaterThanOrEqual(size)
      expect(unstoredMax).toBeGreaterThan(0)
      expect(unstoredMax).toBeLessThanOrEqual(UNSTORED_BYTES_MAX)
      expect(await unfinishedUploads()).toEqual([])
      const stored = (await bucket.get('raw/large'))!
      expect(stored.size).toBe(size)
      // Comparing the arrays element by element takes seconds.
      expect(await digest(await bytesOf(stored))).toBe(await digest(content))
      await bucket.put([{ key: 'raw/large', body: bytes('small') }])
      expect(await read(bucket, 'raw/large')).toBe('small')
      await bucket.close()
    })

    test('missing objects are null, and deleting them is not an error', async () => {
      const bucket = await storage().open()
      expect(await bucket.get('raw/nothing')).toBeNull()
      await bucket.remove(['raw/nothing', 'raw/never'])
      expect((await bucket.list({ prefix: 'raw/', limit: 10 })).keys).toEqual([])
      await bucket.close()
    })

    test('putting a key again replaces it, and an empty body is a body', async () => {
      const bucket = await storage().open()
      await bucket.put([{ key: 'a/b', body: bytes('first') }])
      await bucket.put([{ key: 'a/b', body: bytes('second') }])
      expect(await read(bucket, 'a/b')).toBe('second')
      await bucket.put([{ key: 'a/b', body: bytes('') }])
      expect(await read(bucket, 'a/b')).toBe('')
      await bucket.close()
    })

    test('lists several pages in key order, strictly after the cursor', async () => {
      const bucket = await storage().open()
      const keys = Array.from({ length: 25 }, (_, index) => `messages/unprocessed/in.test/qa/${1000 + index}.json`)
      const others = ['messages/processed/in.test/qa/1.json', 'messages/unprocessed0', 'raw/in.test/qa/1.eml']
      await bucket.put(
        [...keys.toReversed(), ...others].map((key) => ({ key, body: bytes(key) })),
        NEW,
      )
      const pages = await listAll(bucket, 'messages/unprocessed/', 10)
      expect(pages.map((page) => page.length)).toEqual([10, 10, 5])
      expect(pages.flat()).toEqual(keys)
      expect((await listAll(bucket, '', 1_000)).flat()).toEqual([...keys, ...others].sort())
      await bucket.close()
    })

    test('a key that is the prefix itself is listed', async () => {
      const bucket = await storage().open()
      await bucket.put(['a/b', 'a/bc'].map((key) => ({ key, body: bytes(key) })))
      expect((await bucket.list({ prefix: 'a/b', limit: 1 })).keys).toEqual(['a/b'])
      expect((await listAll(bucket, 'a/b', 1)).flat()).toEqual(['a/b', 'a/bc'])
      await bucket.close()
    })

    test('unusual keys stay distinct: encoded dots and slashes, a name that is a prefix of another', async () => {
      const bucket = await storage().open()
      const keys = [
        'raw/%2E%2E/x',
        'raw/%2e',
        'raw/a%2Fb/c',
        'raw/a/b',
        'raw/a.b',
        'raw/a!/b',
        'raw/a+b',
        'raw/%F0%9F%98%80',
        'raw/%',
        'raw/%252E',
        'raw/a b',
        'raw/qa+tag@in.test/~x',
        `raw/&amp;<>"'`,
        'raw/?list-type=2&x#y',
        'raw/(a)*[b]{c}|^$,:;',
        '..raw/.../x..',
      ]
      await bucket.put(keys.map((key) => ({ key, body: bytes(key) })))
      for (const key of keys) expect(await read(bucket, key)).toBe(key)
      expect((await listAll(bucket, '', 3)).flat()).toEqual(keys.toSorted())
      expect((await listAll(bucket, 'raw/a', 2)).flat()).toEqual(
        keys.filter((key) => key.startsWith('raw/a')).toSorted(),
      )
      await bucket.remove(keys.slice(1))
      expect((await listAll(bucket, '', 3)).flat()).toEqual([keys[0]])
      await bucket.close()
    })

    test('a move writes the new object and deletes the old one', async () => {
      const bucket = await storage().open()
      await bucket.put([{ key: 'messages/unprocessed/1', body: bytes('waiting') }])
      await bucket.move('messages/unprocessed/1', { key: 'messages/processed/1', body: bytes('done') })
      expect(await read(bucket, 'messages/unprocessed/1')).toBeNull()
      expect(await read(bucket, 'messages/processed/1')).toBe('done')
      await bucket.close()
    })

    test('moving an object that was deleted in the meantime restores nothing', async () => {
      const bucket = await storage().open()
      await bucket.put([{ key: 'messages/unprocessed/1', body: bytes('waiting') }])
      await bucket.remove(['messages/unprocessed/1', 'messages/processed/1'])
      await bucket.move('messages/unprocessed/1', { key: 'messages/processed/1', body: bytes('done') })
      expect((await bucket.list({ prefix: '', limit: 10 })).keys).toEqual([])
      await bucket.close()
    })

    test('a move that was interrupted after writing is finished by moving again', async () => {
      const bucket = await storage().open()
      await bucket.put([
        { key: 'messages/unprocessed/1', body: bytes('waiting') },
        { key: 'messages/processed/1', body: bytes('written before the crash') },
      ])
      await bucket.move('messages/unprocessed/1', { key: 'messages/processed/1', body: bytes('done') })
      expect(await read(bucket, 'messages/processed/1')).toBe('done')
      expect((await bucket.list({ prefix: 'messages/', limit: 10 })).keys).toEqual(['messages/processed/1'])
      await bucket.close()
    })

    test('concurrent moves of one object leave one object', async () => {
      const bucket = await storage().open()
      await bucket.put([{ key: 'from', body: bytes('waiting') }])
      await Promise.all(Array.from({ length: 5 }, () => bucket.move('from', { key: 'to', body: bytes('done') })))
      expect((await bucket.list({ prefix: '', limit: 10 })).keys).toEqual(['to'])
      expect(await read(bucket, 'to')).toBe('done')
      await bucket.close()
    })

    test('many concurrent puts are all stored', async () => {
      const bucket = await storage().open()
      const keys = Array.from({ length: 60 }, (_, index) => `raw/${1000 + index}`)
      await Promise.all(keys.map((key) => bucket.put([{ key, body: bytes(key) }], NEW)))
      expect((await listAll(bucket, 'raw/', 1_000)).flat()).toEqual(keys)
      await bucket.close()
    })
  })
}

/** Storage services list and delete at most 1,000 keys per request. */
export function describeManyKeys(name: string, storage: () => BucketUnderTest): void {
  test(
    `${name}: more than 1,000 keys can be listed with any limit and deleted in one call`,
    MANY_REQUESTS,
    async () => {
      const bucket = await storage().open()
      const keys = Array.from({ length: 1_100 }, (_, index) => `raw/${1_000_000 + index}`)
      for (let start = 0; start < keys.length; start += 100) {
        const some = keys.slice(start, start + 100)
        await Promise.all(some.map((key) => bucket.put([{ key, body: bytes('x') }], NEW)))
      }
      expect(await bucket.list({ prefix: 'raw/', limit: 2_000 })).toEqual({ keys, cursor: null })
      expect(await bucket.list({ prefix: 'raw/', limit: 1_100 })).toEqual({ keys, cursor: null })
      expect((await listAll(bucket, 'raw/', 1_050)).map((page) => page.length)).toEqual([1_050, 50])
      expect((await listAll(bucket, '', 1_000)).flat()).toEqual(keys)
      const first = await bucket.list({ prefix: 'raw/', limit: 1_050 })
      expect(first.cursor).toBe(keys[1_049])
      await bucket.remove(keys.slice(1))
      expect(await bucket.list({ prefix: '', limit: 2_000 })).toEqual({ keys: [keys[0]], cursor: null })
      await bucket.close()
    },
  )
}
