import { join } from 'node:path'
import type { Announcement } from '@mailhatch/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keysIn, readObject } from '../../test/support/stored-mail.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { openEmbeddedBucket } from '../bucket/embedded-bucket.ts'
import { bytesOf, type StoredObject } from '../bucket/bucket.ts'
import { metadataKey, rawKey } from '../domain/object-keys.ts'
import { parseMail, type ParsedMail } from '../mime/parse-mail.ts'
import { newId } from '../random.ts'
import { announcementOf, decodeMetadata, type Metadata } from './metadata.ts'
import { RECEIVING_MS_MAX, searchFromStoredPosition, searchRawMail, SEARCH_INTERVAL_MS } from './raw-search.ts'
import { startRawSearch } from './raw-search-loop.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const OLD = NOW - RECEIVING_MS_MAX - 1

/** A bucket with raw mail, and the mails offered to the announcer. */
async function start() {
  const bucket = openEmbeddedBucket(join(temporaryFolder(), 'inbox.db'))
  onTestFinished(() => bucket.close())
  const offered: Announcement[] = []
  const clock = { now: NOW }
  const ports = {
    bucket,
    parse: async (raw: StoredObject) => parseMail(await bytesOf(raw)),
    announcer: {
      offer: (metadata: Metadata, parsed: ParsedMail) => void offered.push(announcementOf(metadata, parsed)),
    },
    rootDomain: 'in.test',
    settledBefore: () => clock.now - RECEIVING_MS_MAX,
    log: { warn() {}, error() {} },
  }
  async function store(
    mailbox: string,
    { at = OLD, domain = 'team.in.test', headers = '', metadata = [] as string[] } = {},
  ) {
    const message = { domain, mailbox, id: newId(at) }
    const body = Buffer.from(`Subject: to ${mailbox}\r\nFrom: a@shop.example\r\n${headers}\r\nhello\r\n`)
    const keys = metadata.map((status) => metadataKey(status as 'processed', message))
    await bucket.put([{ key: rawKey(message), body }, ...keys.map((key) => ({ key, body: Buffer.from('{}') }))])
    return message
  }
  return { bucket, ports, offered, store, clock }
}

test('raw mail without metadata is announced with the data in its key and headers', async () => {
  const { bucket, ports, offered, store } = await start()
  const lost = await store('qa', { headers: 'To: Other <x@y.test>, QA <qa+42@team.in.test>\r\n' })
  await store('unprocessed', { metadata: ['unprocessed'] })
  await store('processed', { metadata: ['processed'] })
  expect(await searchRawMail(ports, null)).toEqual({ next: null, tried: 1 })
  expect(offered).toHaveLength(1)
  expect(offered[0]).toMatchObject({
    id: lost.id,
    domain: 'team.in.test',
    tenantSubdomain: 'team',
    mailbox: 'qa',
    mailboxWithTag: 'qa+42',
    tag: '42',
    to: 'qa+42@team.in.test',
    from: 'a@shop.example',
    subject: 'to qa',
    plainContent: 'hello\n',
    receivedAt: new Date(OLD).toISOString(),
    parse: 'complete',
  })
  expect(offered[0]).not.toHaveProperty('envelope')
  const metadata = decodeMetadata(await readObject(bucket, metadataKey('unprocessed', lost)))
  expect(metadata).toMatchObject({
    id: lost.id,
    status: 'unprocessed',
    attempts: 0,
    envelope: null,
    rawKey: rawKey(lost),
  })
  // Found once: afterwards it has metadata.
  expect(await searchRawMail(ports, null)).toEqual({ next: null, tried: 0 })
})

test.each([
  ['no header names it', '', 'qa@team.in.test', null],
  [
    'Delivered-To comes first',
    'To: qa+1@team.in.test\r\nDelivered-To: qa+2@team.in.test\r\n',
    'qa+2@team.in.test',
    '2',
  ],
  ['another mailbox is not meant', 'To: dev+1@team.in.test, qa+1@in.test\r\n', 'qa@team.in.test', null],
  ['as it is written', 'Cc: "Q, A" <QA+Login@Team.In.Test>\r\n', 'QA+Login@Team.In.Test', 'login'],
])('the recipient: %s', async (_, headers, to, tag) => {
  const { ports, offered, store } = await start()
  await store('qa', { headers })
  await searchRawMail(ports, null)
  expect(offered).toMatchObject([{ to, tag, mailbox: 'qa' }])
})

test('unusual names are read back from their keys, and unknown files are left alone', async () => {
  const { bucket, ports, offered, store } = await start()
  await store('"a/b c"', { domain: '[127.0.0.1]' })
  await store('ü%2f')
  const foreign = ['raw/notes.txt', 'raw/in.test/qa/readme.eml', 'raw/in.test/qa/sub/x.eml', 'raw/%zz/qa/x.eml']
  await bucket.put(foreign.map((key) => ({ key, body: Buffer.from('x') })))
  await searchRawMail(ports, null)
  expect(offered.map(({ mailbox }) => mailbox).sort()).toEqual(['"a/b c"', 'ü%2f'])
})

test('limit: mail that may still be being stored is left alone', async () => {
  const { ports, offered, store, clock } = await start()
  await store('young', { at: NOW - RECEIVING_MS_MAX })
  await searchRawMail(ports, null)
  expect(offered).toEqual([])
  clock.now++
  await searchRawMail(ports, null)
  expect(offered).toHaveLength(1)
})

test('mail that is deleted or processed during the search is not restored', async () => {
  const { bucket, ports, offered, store } = await start()
  const [removed, processed] = [await store('removed'), await store('processed')]
  const listing = {
    ...bucket,
    async list(page: Parameters<typeof bucket.list>[0]) {
      const listed = await bucket.list(page)
      if (page.prefix !== 'messages/processed/') return listed
      await bucket.remove([rawKey(removed)])
      await bucket.put([{ key: metadataKey('processed', processed), body: Buffer.from('{}') }])
      return listed
    },
  }
  expect(await searchRawMail({ ...ports, bucket: listing }, null)).toMatchObject({ tried: 2 })
  expect(offered).toEqual([])
  expect(await keysIn(bucket, 'messages/unprocessed/')).toEqual([])
})

test('limit: a large bucket is searched page by page, twenty lost mails per step, and none is missed', async () => {
  const { bucket, ports, offered, store } = await start()
  const lost = new Set<string>()
  const stored = Array.from({ length: 1_200 }, async (_, number) => {
    const isLost = number % 40 === 0
    const { id } = await store(`m${number % 7}`, { metadata: isLost ? [] : ['processed'] })
    if (isLost) lost.add(id)
  })
  await Promise.all(stored)
  const limits: number[] = []
  const listing = {
    ...bucket,
    list: (page: Parameters<typeof bucket.list>[0]) => (limits.push(page.limit), bucket.list(page)),
  }
  let next: string | null = null
  let steps = 0
  do {
    const step = await searchRawMail({ ...ports, bucket: listing }, next)
    expect(step.tried).toBeLessThanOrEqual(20)
    next = step.next
    expect(++steps).toBeLessThan(20)
  } while (next !== null)
  expect(Math.max(...limits)).toBe(1_000)
  expect(offered.map(({ id }) => id).sort()).toEqual([...lost].sort())
})

test('an unreadable mail does not block the others', async () => {
  const { bucket, ports, offered, store } = await start()
  const broken = await store('broken')
  await store('whole')
  const get = async (key: string) => {
    if (key === rawKey(broken)) throw new Error('EIO')
    return bucket.get(key)
  }
  await searchRawMail({ ...ports, bucket: { ...bucket, get } }, null)
  expect(offered.map(({ mailbox }) => mailbox)).toEqual(['whole'])
})

test('where nothing runs between steps, the position is stored, and a finished search pauses for an hour', async () => {
  const { ports, offered, store, clock } = await start()
  const run = () => searchFromStoredPosition(ports, () => clock.now)
  for (let number = 0; number < 50; number++) await store('qa')
  await run()
  expect(offered).toHaveLength(20)
  await run()
  await run()
  expect(offered).toHaveLength(50)
  await run()
  await store('later')
  await run()
  expect(offered).toHaveLength(50)
  clock.now += SEARCH_INTERVAL_MS
  await run()
  expect(offered).toHaveLength(51)
})

test('on Node the search starts with the program, continues to the end, and stops when it is closed', async () => {
  const { ports, offered, store } = await start()
  for (let number = 0; number < 30; number++) await store('qa')
  const search = startRawSearch(ports)
  onTestFinished(() => search.close())
  await vi.waitFor(() => expect(offered).toHaveLength(30))
  await search.close()
})
