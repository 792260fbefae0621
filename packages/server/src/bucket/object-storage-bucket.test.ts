import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { R2Bucket } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findUnfinished,
  r2Place,
  S3_CREDENTIALS,
  s3Place,
  startObjectStorage,
  type ObjectStorage,
} from '../../test/support/object-storage.ts'
import { describeBucket } from './bucket-contract.ts'
import { bytesOf } from './bucket.ts'
import { openR2Bucket } from './r2-bucket.ts'
import { openS3Bucket } from './s3-bucket.ts'
import { parseS3Location } from './s3-location.ts'

const MIB = 1024 * 1024

let storage: ObjectStorage
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.close())

const bytes = (text: string) => new TextEncoder().encode(text)

/** Three parts, of which the last is smaller. */
const LARGE = { largeMebibytes: 12 }

describeBucket('R2 bucket in workerd', () => r2Place(storage), LARGE)

describeBucket('S3 bucket over HTTP', () => s3Place(storage), LARGE)

// Faults at each step, 25 MiB and more than 1,000 keys are in test/bucket-faults.long.test.ts, faults of whole runs in
// test/prove/faults.prove.ts.

test('the code in the Workers bundle uses only web APIs', () => {
  const nodeOnly = /'node:|\bBuffer\b|\bprocess\./
  const files = readdirSync(import.meta.dirname).filter((name) =>
    /^(?:r2|s3|object-storage|body)-[a-z0-9-]+\.ts$/.test(name),
  )
  expect(files).toEqual(
    expect.arrayContaining(['body-parts.ts', 'object-storage-bucket.ts', 'r2-bucket.ts', 's3-client.ts']),
  )
  expect(files.filter((name) => nodeOnly.test(readFileSync(join(import.meta.dirname, name), 'utf8')))).toEqual([])
  expect(nodeOnly.test("import { hash } from 'node:crypto'")).toBe(true)
})

test('the test detects an unfinished upload', async () => {
  const { binding } = storage.newBucket()
  const upload = await binding.createMultipartUpload('raw/begun')
  const begun = [{ key: 'raw/begun', uploadId: upload.uploadId }]
  expect(await findUnfinished(binding, begun)).toEqual(['raw/begun'])
  await upload.abort()
  expect(await findUnfinished(binding, begun)).toEqual([])
})

/** The real binding, with calls that fail on demand. */
function failing(binding: R2Bucket, shouldFail: (call: string, key: string) => boolean): R2Bucket {
  return new Proxy(binding, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        if (shouldFail(String(name), String(args[0]))) throw new Error(`the storage failed to ${String(name)}`)
        return Reflect.apply(method, target, args)
      }
    },
  })
}

describe('when the storage fails', () => {
  const objects = [
    { key: 'raw/1', body: bytes('mail') },
    { key: 'messages/unprocessed/1', body: bytes('metadata') },
  ]

  test('while it writes metadata, the raw mail written before is deleted', async () => {
    const { binding } = storage.newBucket()
    const bucket = openR2Bucket(failing(binding, (call, key) => call === 'put' && key.startsWith('messages/')))
    await expect(bucket.put(objects)).rejects.toThrow('the storage failed to put')
    expect((await openR2Bucket(binding).list({ prefix: '', limit: 10 })).keys).toEqual([])
  })

  test('and the cleanup fails too, the first failure is reported', async () => {
    const { binding } = storage.newBucket()
    const failsTo = (call: string, key: string) => call === 'delete' || (call === 'put' && key.startsWith('messages/'))
    await expect(openR2Bucket(failing(binding, failsTo)).put(objects)).rejects.toThrow('the storage failed to put')
    await openR2Bucket(binding).put(objects)
    expect((await openR2Bucket(binding).list({ prefix: '', limit: 10 })).keys).toHaveLength(2)
  })

  test('between writing and deleting, a move leaves both objects, and a second move leaves one', async () => {
    const { binding } = storage.newBucket()
    const bucket = openR2Bucket(binding)
    await bucket.put(objects)
    const done = { key: 'messages/processed/1', body: bytes('done') }
    const broken = openR2Bucket(failing(binding, (call) => call === 'delete'))
    await expect(broken.move('messages/unprocessed/1', done)).rejects.toThrow('the storage failed to delete')
    const both = ['messages/processed/1', 'messages/unprocessed/1']
    expect((await bucket.list({ prefix: 'messages/', limit: 10 })).keys).toEqual(both)
    await bucket.move('messages/unprocessed/1', done)
    expect((await bucket.list({ prefix: 'messages/', limit: 10 })).keys).toEqual(['messages/processed/1'])
  })

  test.each([
    ['shorter', 6 * MIB, 'ended after 6291456 of 7340032 bytes'],
    ['longer', 8 * MIB, 'longer than the declared 7340032 bytes'],
  ])('a body %s than its declared length is not stored', async (_, actual, message) => {
    const { open, unfinishedUploads } = s3Place(storage)
    const bucket = await open()
    async function* chunks() {
      for (let sent = 0; sent < actual; sent += MIB) yield new Uint8Array(MIB)
    }
    await expect(bucket.put([{ key: 'raw/1', body: { size: 7 * MIB, chunks } }])).rejects.toThrow(message)
    expect((await bucket.list({ prefix: '', limit: 10 })).keys).toEqual([])
    expect(await unfinishedUploads()).toEqual([])
  })
})

test('of many concurrent large bodies, only some are in memory', async () => {
  const { open, storedBytes } = s3Place(storage)
  const bucket = await open()
  let pulled = 0
  let unstoredMax = 0
  async function* chunks() {
    for (let count = 0; count < 6; count++) {
      pulled += MIB
      unstoredMax = Math.max(unstoredMax, pulled - storedBytes())
      yield new Uint8Array(MIB)
    }
  }
  const keys = Array.from({ length: 10 }, (_, index) => `raw/${10 + index}`)
  await Promise.all(keys.map((key) => bucket.put([{ key, body: { size: 6 * MIB, chunks } }])))
  expect((await bucket.list({ prefix: '', limit: 20 })).keys).toEqual(keys)
  // At most eight parts, and more than one.
  expect(unstoredMax).toBeLessThanOrEqual(8 * 5 * MIB)
  expect(unstoredMax).toBeGreaterThan(5 * MIB)
})

test('two prefixes in one S3 bucket do not see each other', async () => {
  const { s3Url } = storage.newBucket()
  const [one, two] = await Promise.all(
    ['/mail/one', '/mail/one-more'].map((prefix) =>
      openS3Bucket({ location: parseS3Location(s3Url.replace('?', `${prefix}?`)), credentials: S3_CREDENTIALS }),
    ),
  )
  await one!.put(['a', 'b', 'c'].map((key) => ({ key: `raw/${key}`, body: bytes('one') })))
  await two!.put([{ key: 'raw/b', body: bytes('two') }])
  expect(await one!.list({ prefix: 'raw/', limit: 2 })).toEqual({ keys: ['raw/a', 'raw/b'], cursor: 'raw/b' })
  expect(await one!.list({ prefix: '', cursor: 'raw/b', limit: 2 })).toEqual({ keys: ['raw/c'], cursor: null })
  await one!.remove(['raw/a', 'raw/b'])
  await one!.move('raw/c', { key: 'raw/d', body: bytes('moved') })
  expect(await one!.list({ prefix: '', limit: 5 })).toEqual({ keys: ['raw/d'], cursor: null })
  expect(await two!.list({ prefix: '', limit: 5 })).toEqual({ keys: ['raw/b'], cursor: null })
  expect(await bytesOf((await two!.get('raw/b'))!)).toEqual(bytes('two'))
})

describe('at the start', () => {
  test('a wrong secret is reported, and the right one works', async () => {
    const location = parseS3Location(storage.newBucket().s3Url)
    const credentials = { ...S3_CREDENTIALS, secretAccessKey: 'another-secret' }
    await expect(openS3Bucket({ location, credentials })).rejects.toThrow(/cannot be used.* 403 SignatureDoesNotMatch/s)
    expect(await openS3Bucket({ location, credentials: S3_CREDENTIALS })).toBeDefined()
  })

  test('an unknown access key is reported', async () => {
    const location = parseS3Location(storage.newBucket().s3Url)
    const credentials = { ...S3_CREDENTIALS, accessKeyId: 'nobody' }
    await expect(openS3Bucket({ location, credentials })).rejects.toThrow(/ 401 Unauthorized/)
  })

  test('a missing bucket is reported', async () => {
    const location = parseS3Location(storage.newBucket().s3Url.replace(/bucket-\d+/, 'no-such-bucket'))
    await expect(openS3Bucket({ location, credentials: S3_CREDENTIALS })).rejects.toThrow(
      /no-such-bucket.* 404 NoSuchBucket/,
    )
  })
})
