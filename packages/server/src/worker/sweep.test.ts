import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Announcement } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { keysIn } from '../../test/support/stored-mail.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { openFolderBucket } from '../bucket/folder-bucket.ts'
import { parseRecipient } from '../domain/address.ts'
import { metadataKey } from '../domain/object-keys.ts'
import { parseMail } from '../mime/parse-mail.ts'
import { newId, secureRandom } from '../random.ts'
import { announceStored } from './announce-stored.ts'
import { encodeMetadata, newMetadata, type Metadata } from './metadata.ts'
import { sweep } from './sweep.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS
const RAW = new TextEncoder().encode('Subject: Hello\r\n\r\nHello\r\n')
const ENVELOPE = { mailFrom: 'a@shop.example', helo: null, remoteAddress: null, tls: false, receivedVia: 'cloudflare' }
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Mail in a bucket, and an API that answers as `answer` says; null is no answer. */
async function start(answer: (announcement: Announcement) => number | null = () => 200) {
  const root = temporaryFolder()
  const bucket = await openFolderBucket(root)
  const announced: string[] = []
  const read: string[] = []
  const clock = { now: NOW }
  const ports = {
    bucket,
    parse: async () => parseMail(RAW),
    async post(announcement: Announcement) {
      announced.push(announcement.to)
      const status = answer(announcement)
      if (status === null) throw new Error('nobody is there')
      return { status, text: '' }
    },
    now: () => clock.now,
  }
  return {
    root,
    bucket,
    announced,
    read,
    clock,
    async store(name: string, past: Partial<Metadata> & { ageMs?: number } = {}) {
      const { ageMs = DAY_MS, ...given } = past
      const receivedAt = NOW - ageMs
      const metadata = newMetadata({
        id: newId(receivedAt),
        recipient: parseRecipient(`${name}@in.test`)!,
        parsed: parseMail(RAW),
        receivedAt,
        rawSize: RAW.byteLength,
        envelope: ENVELOPE,
        rootDomain: 'in.test',
      })
      const body = encodeMetadata({ ...metadata, ...given })
      await bucket.put([
        { key: metadata.rawKey, body: RAW },
        { key: metadataKey('unprocessed', metadata), body },
      ])
    },
    run: (list = bucket.list) =>
      sweep({
        bucket: {
          ...bucket,
          list,
          get(key) {
            if (key.startsWith('messages/')) read.push(key)
            return bucket.get(key)
          },
        },
        announceStored: (key) => announceStored(ports, key),
        firstAttemptMs: 10 * SECOND_MS,
        now: ports.now,
        random: secureRandom,
        log: SILENT,
      }),
    processed: async () => (await keysIn(bucket, 'messages/processed/')).length,
  }
}

/** Tried for the nth time so long ago. */
function tried(attempts: number, agoMs: number, lastStatus: number | null = 503) {
  return { attempts, lastAttemptAt: new Date(NOW - agoMs).toISOString(), lastStatus, lastError: 'no' }
}

test('what is due is announced, and one success makes due what waits for its next try', async () => {
  const { store, run, announced, processed } = await start()
  await store('due', tried(5, 61 * SECOND_MS))
  await store('soon', tried(5, 10 * SECOND_MS))
  expect(await run()).toEqual({ processed: 2, failed: 0 })
  expect(announced).toEqual(['due@in.test', 'soon@in.test'])
  expect(await processed()).toBe(2)
})

test('without a success, what is not due waits', async () => {
  const { store, run, announced } = await start(() => 503)
  await store('due', tried(5, 61 * SECOND_MS))
  await store('soon', tried(5, 10 * SECOND_MS))
  expect(await run()).toEqual({ processed: 0, failed: 1 })
  expect(announced).toEqual(['due@in.test'])
})

test('what only a person can help is left alone, and what is too old is not even read', async () => {
  const { store, run, announced, read } = await start()
  await store('refused', tried(1, DAY_MS, 404))
  await store('old', { ...tried(900, DAY_MS), ageMs: 5 * DAY_MS + SECOND_MS })
  await store('due', tried(1, DAY_MS))
  expect(await run()).toEqual({ processed: 1, failed: 0 })
  expect(announced).toEqual(['due@in.test'])
  expect(read.some((key) => key.includes('/refused/'))).toBe(true)
  expect(read.some((key) => key.includes('/old/'))).toBe(false)
})

test('a mail whose first announcement may still be under way is not announced beside it', async () => {
  const { store, run, announced } = await start()
  await store('new', { ageMs: 9 * SECOND_MS })
  await store('forgotten', { ageMs: 11 * SECOND_MS })
  await run()
  expect(announced).toEqual(['forgotten@in.test'])
})

test('while the API is away, a run only asks a few times', async () => {
  const { store, run, announced } = await start(() => null)
  for (let number = 0; number < 40; number++) await store(`m${number}`)
  await run()
  expect(announced.length).toBeGreaterThanOrEqual(6)
  expect(announced.length).toBeLessThan(12)
})

test('mails that alone fail do not keep the others waiting for good', async () => {
  const { store, run, processed } = await start(({ to }) => (to.startsWith('poison') ? null : 200))
  for (let number = 0; number < 12; number++) await store(`poison${number}`)
  await store('wholesome')
  for (let runs = 0; (await processed()) === 0; runs++) {
    expect(runs).toBeLessThan(200)
    await run()
  }
})

test('a run announces at most a hundred mails, and the next run goes on', async () => {
  const { store, run, processed } = await start()
  for (let number = 0; number < 130; number++) await store(`m${number}`)
  await run()
  const first = await processed()
  expect(first).toBeGreaterThanOrEqual(100)
  expect(first).toBeLessThanOrEqual(105)
  await run()
  expect(await processed()).toBe(130)
})

test('a run ends after 25 seconds', async () => {
  const { store, run, clock, announced } = await start(() => {
    clock.now += 5 * SECOND_MS
    return 200
  })
  for (let number = 0; number < 30; number++) await store(`m${number}`)
  await run()
  expect(announced.length).toBeLessThanOrEqual(12)
})

test('objects that are broken or none of ours do not stand in the way', async () => {
  const { root, store, run, bucket } = await start()
  await store('whole')
  await store('without-raw')
  await bucket.remove(await keysIn(bucket, 'raw/in.test/without-raw/'))
  const folder = join(root, 'messages/unprocessed/in.test/broken')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'messages/unprocessed/.DS_Store'), 'none of ours')
  writeFileSync(join(folder, `${newId(NOW)}.json`), '{ half')
  expect(await run()).toEqual({ processed: 1, failed: 0 })
})

test('limit: what a run could not list is where the next one begins, and then the beginning again', async () => {
  const { run, bucket } = await start()
  const begun: (string | undefined)[] = []
  let pages = 0
  const endless: typeof bucket.list = async ({ cursor }) => {
    if (pages % 100 === 0) begun.push(cursor)
    return { keys: [], cursor: `messages/unprocessed/${pages++}` }
  }
  await run(endless)
  await run(endless)
  expect(begun).toEqual([undefined, 'messages/unprocessed/99'])
  await run(async ({ cursor }) => {
    begun.push(cursor)
    return { keys: [], cursor: null }
  })
  expect(begun.at(-1)).toBe('messages/unprocessed/199')
  expect(await keysIn(bucket)).toEqual([])
})
