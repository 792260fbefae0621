import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Announcement } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { keysIn } from '../../test/support/stored-mail.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { FIRST_ATTEMPTS } from '../../test/support/attempts.ts'
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

/** Mail in a bucket, and an API that responds as `answer` says; null is no response. */
async function start(answer: (announcement: Announcement) => number | null | Promise<number> = () => 200) {
  const root = temporaryFolder()
  const bucket = await openFolderBucket(root)
  const announced: string[] = []
  /** Of the announcements at each moment, those beside another one at any time. */
  const underWay = new Set<string>()
  const overlapping = new Set<string>()
  const read: string[] = []
  const clock = { now: NOW }
  const ports = {
    bucket,
    parse: async () => parseMail(RAW),
    async post(announcement: Announcement) {
      announced.push(announcement.to)
      underWay.add(announcement.to)
      if (underWay.size > 1) for (const to of underWay) overlapping.add(to)
      const status = await answer(announcement)
      underWay.delete(announcement.to)
      if (status === null) throw new Error('connection refused')
      return { status, text: '' }
    },
    history: FIRST_ATTEMPTS,
    now: () => clock.now,
  }
  return {
    root,
    bucket,
    announced,
    overlapping,
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
    run: (list = bucket.list, refusedMailDays: number | null = null) =>
      sweep({
        report: async () => true,
        refusedMailDays,
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

/** Metadata with this many attempts, the last one this long ago. */
function tried(attempts: number, agoMs: number, lastStatus: number | null = 503) {
  const lastCode = lastStatus === 404 ? 'mailbox_unknown' : null
  return { attempts, lastAttemptAt: new Date(NOW - agoMs).toISOString(), lastStatus, lastCode, lastError: 'no' }
}

test('due mail is announced, and after one success the waiting mail is due too', async () => {
  const { store, run, announced, processed } = await start()
  await store('due', tried(5, 61 * SECOND_MS))
  await store('soon', tried(5, 10 * SECOND_MS))
  expect(await run()).toEqual({ processed: 2, failed: 0 })
  expect(announced).toEqual(['due@in.test', 'soon@in.test'])
  expect(await processed()).toBe(2)
})

test('mail that may crash the API is announced after the others, one at a time, and beside none', async () => {
  const slow = () => new Promise<number>((resolve) => setTimeout(() => resolve(200), 50))
  const { store, run, announced, overlapping } = await start(slow)
  const suspect = { ...tried(1, 61 * SECOND_MS, 502), ownFailures: 1 }
  for (const number of [1, 2, 3]) await store(`suspect${number}`, suspect)
  for (const number of [1, 2, 3, 4]) await store(`ordinary${number}`, tried(1, 61 * SECOND_MS))
  expect(await run()).toEqual({ processed: 7, failed: 0 })
  expect(announced.map((to) => to.startsWith('suspect'))).toEqual([false, false, false, false, true, true, true])
  expect(overlapping.size).toBeGreaterThan(1)
  expect([...overlapping].filter((to) => to.startsWith('suspect'))).toEqual([])
})

test('without a success, mail that is not due waits', async () => {
  const { store, run, announced } = await start(() => 503)
  await store('due', tried(5, 61 * SECOND_MS))
  await store('soon', tried(5, 10 * SECOND_MS))
  expect(await run()).toEqual({ processed: 0, failed: 1 })
  expect(announced).toEqual(['due@in.test'])
})

test('mail that needs an operator is left alone, and mail that is too old is not even read', async () => {
  const { store, run, announced, read } = await start()
  await store('refused', tried(1, DAY_MS, 404))
  await store('old', { ...tried(900, DAY_MS), ageMs: 5 * DAY_MS + SECOND_MS })
  await store('due', tried(1, DAY_MS))
  expect(await run()).toEqual({ processed: 1, failed: 0 })
  expect(announced).toEqual(['due@in.test'])
  expect(read.some((key) => key.includes('/refused/'))).toBe(true)
  expect(read.some((key) => key.includes('/old/'))).toBe(false)
})

test('a mail whose first announcement may still be running is not announced twice', async () => {
  const { store, run, announced } = await start()
  await store('new', { ageMs: 9 * SECOND_MS })
  await store('forgotten', { ageMs: 11 * SECOND_MS })
  await run()
  expect(announced).toEqual(['forgotten@in.test'])
})

test('while the API is unreachable, a run makes only a few requests', async () => {
  const { store, run, announced } = await start(() => null)
  for (let number = 0; number < 40; number++) await store(`m${number}`)
  await run()
  expect(announced.length).toBeGreaterThanOrEqual(6)
  expect(announced.length).toBeLessThan(12)
})

test('mail that fails alone does not block other mail permanently', async () => {
  const { store, run, processed } = await start(({ to }) => (to.startsWith('poison') ? null : 200))
  for (let number = 0; number < 12; number++) await store(`poison${number}`)
  await store('wholesome')
  for (let runs = 0; (await processed()) === 0; runs++) {
    expect(runs).toBeLessThan(200)
    await run()
  }
})

test('a run announces at most a hundred messages, and the next run continues', async () => {
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

test('broken and unknown objects do not block others', async () => {
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

test('limit: the next run continues where a run stopped listing, and then starts over', async () => {
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

test('limit: refused mail is deleted 14 days after its last attempt, only after a 404 of our API, and kept without the setting', async () => {
  const { store, run, bucket } = await start(() => 503)
  const old = { ageMs: 40 * DAY_MS }
  await store('before', { ...tried(1, 14 * DAY_MS - SECOND_MS, 404), ...old })
  await store('at', { ...tried(1, 14 * DAY_MS, 404), ...old })
  await store('after', { ...tried(2, 15 * DAY_MS, 404), ...old })
  // Mail that waits for another reason stays.
  await store('foreign', { ...tried(1, 30 * DAY_MS, 404), lastCode: 'not_found', ...old })
  await store('invalid', { ...tried(1, 30 * DAY_MS, 422), ...old })
  await store('large', { ...tried(1, 30 * DAY_MS, 413), ...old })
  await store('outage', { ...tried(9, 30 * DAY_MS, null), ...old })
  await store('never', old)
  const setAside = { at: new Date(NOW - 30 * DAY_MS).toISOString(), reason: 'It fails.', isReported: true }
  await store('aside', { ...tried(3, 30 * DAY_MS, 404), setAside, ...old })
  const names = async (prefix: string) => (await keysIn(bucket, prefix)).map((key) => key.split('/').at(-2)!).sort()
  const all = ['after', 'aside', 'at', 'before', 'foreign', 'invalid', 'large', 'never', 'outage']
  await run()
  expect(await names('messages/')).toEqual(all)
  await run(undefined, 14)
  const kept = all.filter((name) => name !== 'at' && name !== 'after')
  expect(await names('messages/')).toEqual(kept)
  expect(await names('raw/')).toEqual(kept)
})

test('limit: a run checks twenty mails for deletion, and later runs check the others', async () => {
  const { store, run, bucket } = await start()
  for (let number = 0; number < 30; number++) {
    await store(`m${number}`, { ...tried(1, 15 * DAY_MS, 404), ageMs: 15 * DAY_MS })
  }
  await run(undefined, 14)
  expect(await keysIn(bucket, 'messages/')).toHaveLength(10)
  await run(undefined, 14)
  expect(await keysIn(bucket)).toEqual([])
})

test('metadata of an earlier version shows by its text who sent the 404', async () => {
  const { store, run, bucket } = await start(() => 503)
  const body = '{"error":"Mailbox not configured","code":"mailbox_unknown","requestId":"r"}'
  const past = { ...tried(1, 15 * DAY_MS, 404), ageMs: 15 * DAY_MS, lastCode: undefined as never }
  await store('ours', { ...past, lastError: `404 ${body}` })
  await store('foreign', { ...past, lastError: '404 <h1>Not found</h1>' })
  await run(undefined, 14)
  expect((await keysIn(bucket, 'messages/')).map((key) => key.split('/').at(-2))).toEqual(['foreign'])
})
