import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { faultyEmbedded } from '../../test/support/faulty-embedded.ts'
import { faultyFolder } from '../../test/support/faulty-folder.ts'
import { ask, embeddedPlace, folderPlace } from '../../test/support/local-buckets.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import type { Fault } from '../../test/support/step-faults.ts'
import { bytesOf } from './bucket.ts'
import { describeBucket, describeManyKeys } from './bucket-contract.ts'
import { describeFaults } from './fault-contract.ts'
import { openEmbeddedBucket } from './embedded-bucket.ts'
import { openFolderBucket } from './folder-bucket.ts'

/** More than may be read ahead. The largest mail, and the folder with many keys, are in test/bucket-faults.long.test.ts. */
const LARGE = { largeMebibytes: 12 }

describeBucket('embedded bucket', embeddedPlace, LARGE)
describeManyKeys('embedded bucket', embeddedPlace)
describeBucket('folder bucket', folderPlace, LARGE)

// All faults, also those that last for one call or never end, are in test/bucket-faults.long.test.ts.
const LASTING = ['step'] as const

const DISK_FAULTS: Fault[] = [
  { when: 'before', kind: 'ENOSPC' },
  { when: 'after', kind: 'EIO' },
]

describeFaults(
  'embedded bucket',
  { faults: DISK_FAULTS, faultsOfLarge: DISK_FAULTS.slice(1), lasting: LASTING },
  faultyEmbedded,
)

const FILE_FAULTS: Fault[] = [
  { when: 'before', kind: 'EMFILE' },
  { when: 'after', kind: 'EIO' },
  { when: 'half', kind: 'ENOSPC' },
]

describeFaults(
  'folder bucket',
  { faults: FILE_FAULTS, faultsOfLarge: FILE_FAULTS.slice(2), lasting: LASTING },
  faultyFolder,
)

// Two steps after a rename that failed, the undo deletes the new object.
describeFaults(
  'folder bucket, also in the undo',
  { faults: FILE_FAULTS.slice(1, 2), faultsOfLarge: [], lasting: [2] },
  faultyFolder,
)

test('the embedded bucket deletes the parts of mail that was never acknowledged', async () => {
  const path = join(temporaryFolder(), 'inbox.db')
  await openEmbeddedBucket(path).close()
  const crashed = new DatabaseSync(path)
  crashed.exec(`insert into parts (upload, part, body) values ('unfinished', 0, x'00')`)
  crashed.close()
  await openEmbeddedBucket(path).close()
  const after = new DatabaseSync(path)
  expect(after.prepare('select count(*) as count from parts').get()).toMatchObject({ count: 0 })
  after.close()
})

test('the folder bucket deletes files that were never acknowledged', async () => {
  const root = temporaryFolder()
  await openFolderBucket(root)
  const left = join(root, '.incoming', 'half-written')
  writeFileSync(left, 'half')
  const bucket = await openFolderBucket(root)
  expect(existsSync(left)).toBe(false)
  expect(readdirSync(root)).toEqual(['.incoming'])
  await bucket.close()
})

test('the embedded bucket stores mail to many recipients once, until the last copy is deleted', async () => {
  const path = join(temporaryFolder(), 'inbox.db')
  const bucket = openEmbeddedBucket(path)
  const body = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251)
  const keys = Array.from({ length: 50 }, (_, number) => `raw/mailhatch.test/qa${number}/mail.eml`)
  const stored = () =>
    Number(ask(path, 'select (select total(length(body)) from parts) + (select total(length(body)) from objects)'))
  await bucket.put(keys.map((key) => ({ key, body })))
  expect(stored()).toBe(body.byteLength)
  await bucket.remove(keys.slice(1))
  expect(await bytesOf((await bucket.get(keys[0]!))!)).toEqual(body)
  expect(await bucket.get(keys[1]!)).toBeNull()
  await bucket.remove(keys.slice(0, 1))
  expect(stored()).toBe(0)
  await bucket.close()
})

test('embedded bucket: what a client does not read stays on disk, up to 64 KiB', async () => {
  const bucket = openEmbeddedBucket(join(temporaryFolder(), 'inbox.db'))
  const size = 1024 * 1024
  async function* chunks() {
    yield new Uint8Array(size)
  }
  await bucket.put([{ key: 'raw/large', body: { size, chunks } }])
  const reader = (await bucket.get('raw/large'))!.stream.getReader()
  let bytes = (await reader.read()).value!.byteLength
  // What can be read after this was in memory.
  await bucket.remove(['raw/large'])
  for (let next = await reader.read(); !next.done; next = await reader.read()) bytes += next.value.byteLength
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThanOrEqual(64 * 1024)
  await bucket.close()
})

test('embedded bucket: many reads of large objects yield after each part', async () => {
  const bucket = openEmbeddedBucket(join(temporaryFolder(), 'inbox.db'))
  const part = new Uint8Array(1024 * 1024)
  const parts = 4
  const readers = 10
  async function* chunks() {
    for (let count = 0; count < parts; count++) yield part
  }
  await bucket.put([{ key: 'raw/large', body: { size: parts * part.byteLength, chunks } }])
  let turns = 0
  let isOver = false
  const count = () => void (isOver || (turns++, setImmediate(count)))
  setImmediate(count)
  await Promise.all(Array.from({ length: readers }, async () => bytesOf((await bucket.get('raw/large'))!)))
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(readers * parts)
  await bucket.close()
})
