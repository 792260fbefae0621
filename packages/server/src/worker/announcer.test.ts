import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Announcement } from '@mailhatch/sdk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { readObject } from '../../test/support/stored-mail.ts'
import { UNROUTED } from '../../test/support/attempts.ts'
import { openFolderBucket } from '../bucket/folder-bucket.ts'
import { parseRecipient } from '../domain/address.ts'
import { createMailParser } from '../mime/mail-parser.ts'
import { newId } from '../random.ts'
import type { Report } from './announce.ts'
import { rewriteMetadata } from './announce-stored.ts'
import { createAnnouncer } from './announcer.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'
import { receive } from './receive.ts'

const TICK_MS = 500
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Checks twenty times a second, and the announcer's clock ticks once for each check. */
function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(
    async () => {
      vi.advanceTimersByTime(TICK_MS)
      return check()
    },
    { timeout: 60_000 },
  )
}

/** Mail of an earlier run that was never announced, and a new announcer. */
async function startBeside(
  root: string,
  post: (announcement: Announcement) => Promise<number>,
  {
    refusedMailDays = null,
    wasCutOff = true,
    now = Date.now,
    report = async () => true,
  }: { refusedMailDays?: number | null; wasCutOff?: boolean; now?: () => number; report?: Report } = {},
) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const bucket = await openFolderBucket(root)
  const parser = createMailParser()
  const announcer = createAnnouncer({
    bucket,
    parser,
    post: async (announcement) => ({ status: await post(announcement), text: UNROUTED }),
    report,
    by: 'worker',
    wasCutOff,
    refusedMailDays,
    unclaimedNotice: '',
    meters: null,
    now,
    log: SILENT,
  })
  onTestFinished(async () => {
    await announcer.close()
    await parser.close()
  })
  const ports = { bucket, announcer: null, rootDomain: 'in.test', newId, now: Date.now }
  const raw = new TextEncoder().encode('Subject: Hello\r\n\r\nHello\r\n')
  const store = (address: string) =>
    receive(ports, {
      recipients: [parseRecipient(address)!],
      envelope: { mailFrom: 'a@shop.example', helo: null, remoteAddress: null, tls: false, receivedVia: 'smtp' },
      raw,
      parse: () => parser.parse(raw),
    })
  return { bucket, announcer, store }
}

test('unknown files do not keep mail of an earlier run from being announced', async () => {
  const root = temporaryFolder()
  const announced: string[] = []
  const { announcer, bucket, store } = await startBeside(root, async ({ to }) => {
    announced.push(to)
    return 200
  })
  await store('qa+1@in.test')
  const folder = join(root, 'messages/unprocessed')
  writeFileSync(join(folder, '.DS_Store'), 'not JSON')
  mkdirSync(join(folder, 'in.test/broken'), { recursive: true })
  writeFileSync(join(folder, 'in.test/broken/01a1dd20-3c5f-7a3e-869b-e2d14e2e7482.json'), '{ half')
  await announcer.start()
  await eventually(async () => {
    expect((await bucket.list({ prefix: 'messages/processed/', limit: 10 })).keys).toHaveLength(1)
  })
  expect(announced).toEqual(['qa+1@in.test'])
  await eventually(() => expect(announcer.oldestWaitingAt()).toBeNull())
})

test('nothing of a new mail is read before its sender has the reply, and then it is announced', async () => {
  const announced: string[] = []
  const { announcer, bucket, store } = await startBeside(temporaryFolder(), async ({ to }) => {
    announced.push(to)
    return 200
  })
  await store('qa+1@in.test')
  const [key] = (await bucket.list({ prefix: 'messages/unprocessed/', limit: 1 })).keys
  const metadata = decodeMetadata(await readObject(bucket, key!))
  const parser = createMailParser()
  onTestFinished(() => parser.close())
  let reads = 0
  const parsed = new Proxy(await parser.parse(new TextEncoder().encode('Subject: Hello\r\n\r\nHello\r\n')), {
    get: (mail, name) => {
      reads++
      return Reflect.get(mail, name) as unknown
    },
  })
  announcer.offer(metadata, parsed)
  expect(reads).toBe(0)
  await eventually(() => expect(announced).toEqual(['qa+1@in.test']))
  expect(reads).toBeGreaterThan(0)
})

test('a mail that was set aside is reported again soon if the API did not receive the report', async () => {
  let elapsed = 0
  const heard: string[] = []
  const { announcer, bucket, store } = await startBeside(temporaryFolder(), async () => 200, {
    now: () => Date.now() + elapsed,
    report: async ({ to }) => heard.push(to) > 1,
  })
  await store('qa+1@in.test')
  const [key] = (await bucket.list({ prefix: 'messages/unprocessed/', limit: 1 })).keys
  const read = async () => decodeMetadata(await readObject(bucket, key!))
  const setAside = { at: new Date().toISOString(), reason: 'Set aside.', isReported: false }
  await rewriteMetadata(bucket, key!, { ...(await read()), setAside })
  await announcer.start()
  await eventually(() => expect(heard).toHaveLength(1))
  elapsed = 5_000
  await eventually(async () => expect((await read()).setAside?.isReported).toBe(true))
  expect(heard).toEqual(['qa+1@in.test', 'qa+1@in.test'])
})

test.each([
  { wasCutOff: true, counted: 1 },
  { wasCutOff: false, counted: 0 },
])('mail that waited in an earlier run has a failure only if that run was cut off: $wasCutOff', async (given) => {
  // The mail arrived before the start.
  const now = () => Date.now() + 60_000
  const { announcer, bucket, store } = await startBeside(temporaryFolder(), async () => 503, { ...given, now })
  await store('qa@in.test')
  await announcer.start()
  await eventually(async () => {
    const [key] = (await bucket.list({ prefix: 'messages/unprocessed/', limit: 1 })).keys
    const { attempts, ownFailures } = decodeMetadata(await readObject(bucket, key!))
    expect({ wasTried: attempts > 0, ownFailures }).toEqual({ wasTried: true, ownFailures: given.counted })
  })
})

test('mail that failed in an earlier run is due at a start; while a suspect is announced, no other is in flight', async () => {
  const posted: { mailbox: string; beside: string[] }[] = []
  const underWay = new Set<string>()
  const answer = async ({ mailbox }: Announcement) => {
    posted.push({ mailbox, beside: [...underWay] })
    underWay.add(mailbox)
    // A response that takes some time, so that attempts can overlap.
    await new Promise((resolve) => setTimeout(resolve, 20))
    underWay.delete(mailbox)
    return 200
  }
  const at = Date.now()
  const { announcer, bucket, store } = await startBeside(temporaryFolder(), answer, { now: () => at })
  async function storeTried(name: string, tried: Partial<Metadata>): Promise<string> {
    await store(`${name}@in.test`)
    const [key] = (await bucket.list({ prefix: `messages/unprocessed/in.test/${name}/`, limit: 1 })).keys
    // More attempts than are made in a minute, the last one ten seconds before the start.
    const earlier = { attempts: 50, lastAttemptAt: new Date(at - 10_000).toISOString(), lastStatus: 502 }
    await rewriteMetadata(bucket, key!, { ...decodeMetadata(await readObject(bucket, key!)), ...earlier, ...tried })
    return key!
  }
  const setAside = { at: new Date(at).toISOString(), reason: 'Set aside.', isReported: true }
  const aside: string[] = []
  for (let number = 0; number < 4; number++) {
    await storeTried(`ordinary${number}`, { ownFailures: 0 })
    await storeTried(`suspect${number}`, { ownFailures: 1 })
    await storeTried(`suspect${number + 4}`, { ownFailures: 2 })
    aside.push(await storeTried(`aside${number}`, { ownFailures: 3, setAside }))
  }
  await announcer.start()
  const byHand = (async () => {
    for (const key of aside) await announcer.announceNow(key)
  })()
  await eventually(() => expect(posted).toHaveLength(16))
  await byHand
  expect(new Set(posted.map(({ mailbox }) => mailbox)).size).toBe(16)
  const crowded = posted.filter(({ beside }) => beside.length > 0)
  const names = crowded.flatMap(({ mailbox, beside }) => [mailbox, ...beside])
  expect(names.filter((name) => name.startsWith('ordinary'))).not.toEqual([])
  expect(names.filter((name) => name.startsWith('suspect'))).toEqual([])
})

test('a mail without raw bytes is given up, and others continue', async () => {
  const root = temporaryFolder()
  const announced: string[] = []
  const { announcer, store } = await startBeside(root, async ({ to }) => {
    announced.push(to)
    return 200
  })
  await store('gone@in.test')
  await store('qa@in.test')
  rmSync(join(root, 'raw/in.test/gone'), { recursive: true })
  await announcer.start()
  await eventually(() => expect(announced).toEqual(['qa@in.test']))
  await eventually(() => expect(announcer.oldestWaitingAt()).toBeNull())
})

test('mail that the API refuses permanently no longer counts as waiting', async () => {
  const root = temporaryFolder()
  const announced: string[] = []
  const { announcer, store } = await startBeside(root, async ({ to }) => {
    announced.push(to)
    return 404
  })
  await store('qa@in.test')
  await announcer.start()
  await eventually(() => expect(announced).toEqual(['qa@in.test']))
  await eventually(() => expect(announcer.oldestWaitingAt()).toBeNull())
})

const DAY_MS = 86_400_000

test('refused mail is deleted after its retention days, and not before; other mail stays', async () => {
  const clock = { ahead: 0 }
  const now = () => Date.now() + clock.ahead
  const answer = async ({ mailbox }: Announcement) => (mailbox === 'invalid' ? 422 : 404)
  const { announcer, bucket, store } = await startBeside(temporaryFolder(), answer, { refusedMailDays: 14, now })
  await store('refused@in.test')
  await store('invalid@in.test')
  await announcer.start()
  await eventually(async () => {
    const keys = (await bucket.list({ prefix: 'messages/unprocessed/', limit: 10 })).keys
    const tries = await Promise.all(keys.map(async (key) => decodeMetadata(await readObject(bucket, key)).attempts))
    expect(tries).toEqual([1, 1])
  })
  clock.ahead = 14 * DAY_MS - 3_600_000
  await store('later@in.test')
  // A search finds it after it has seen the others.
  await eventually(async () => {
    const { keys } = await bucket.list({ prefix: 'messages/unprocessed/in.test/later/', limit: 10 })
    expect(decodeMetadata(await readObject(bucket, keys[0]!)).attempts).toBe(1)
  })
  expect((await bucket.list({ prefix: 'raw/', limit: 10 })).keys).toHaveLength(3)
  clock.ahead = 14 * DAY_MS + 3_600_000
  await eventually(async () => {
    const { keys } = await bucket.list({ prefix: 'raw/', limit: 10 })
    expect(keys.map((key) => key.split('/').at(-2))).toEqual(['invalid', 'later'])
  })
  // Deleted mail is no longer counted, and mail that was refused for another reason never is.
  await eventually(() => {
    const mails = announcer.unrouted.newest({ before: null, limit: 10 })
    expect(mails.map(({ mailbox }) => mailbox)).toEqual(['later'])
  })
})

const cut = () =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('cut'), { code: 'ECONNRESET' }) })

test('an API that fails on every third request sets no mail aside; a mail on which it always fails is set aside', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = seededRandom(seed)
  const clock = { ahead: 0 }
  let chance = 0.35
  let failures = 0
  const answer = async ({ mailbox }: Announcement) => {
    if (mailbox !== 'poison' && !random.chance(chance)) return 200
    failures++
    const status = random.pick([500, 502, null])
    return status ?? Promise.reject(cut())
  }
  const { announcer, bucket, store } = await startBeside(temporaryFolder(), answer, {
    now: () => Date.now() + clock.ahead,
  })
  await Promise.all(Array.from({ length: 200 }, (_, number) => store(`m${number}@in.test`)))
  await announcer.start()
  const unprocessed = async () => (await bucket.list({ prefix: 'messages/unprocessed/', limit: 1_000 })).keys
  const pass = async (isSo: () => Promise<boolean>) =>
    eventually(async () => {
      clock.ahead += 10_000
      expect(await isSo()).toBe(true)
    })
  await pass(async () => (await unprocessed()).length === announcer.setAsideCount())
  console.info({ seed, failures })
  expect(await unprocessed()).toEqual([])
  expect(failures).toBeGreaterThan(60)

  chance = 0
  // Until earlier failures no longer count.
  clock.ahead += 600_000
  await store('poison@in.test')
  let others = 0
  await pass(async () => {
    await store(`other${others++}@in.test`)
    return announcer.setAsideCount() === 1
  })
  await pass(async () => (await unprocessed()).length === 1)
  expect(await unprocessed()).toEqual([expect.stringContaining('/poison/')])
})

describe('a long outage', () => {
  test.each([
    ['connections are cut', async () => Promise.reject(cut())],
    ['the API answers 500', async () => 500],
    ['the API answers 503', async () => 503],
    ['nothing answers in time', async () => Promise.reject(new DOMException('Timed out', 'TimeoutError'))],
  ])('in which %s sets no mail aside, and all of it arrives', async (_name, fail: () => Promise<number>) => {
    const clock = { ahead: 0 }
    let isAway = true
    let posts = 0
    const answer = async () => {
      posts++
      return isAway ? fail() : 200
    }
    const { announcer, bucket, store } = await startBeside(temporaryFolder(), answer, {
      now: () => Date.now() + clock.ahead,
    })
    const addresses = ['a', 'b', 'c', 'd'].map((name) => `${name}@in.test`)
    for (const address of addresses) await store(address)
    await announcer.start()
    const read = async () => {
      const { keys } = await bucket.list({ prefix: 'messages/unprocessed/', limit: 10 })
      return Promise.all(keys.map(async (key) => decodeMetadata(await readObject(bucket, key))))
    }
    for (let round = 1; round <= 5; round++) {
      clock.ahead += 61_000
      await eventually(async () => expect((await read()).every(({ attempts }) => attempts >= round)).toBe(true))
    }
    expect((await read()).map(({ setAside }) => setAside)).toEqual([null, null, null, null])
    expect((await read()).every(({ ownFailures }) => ownFailures <= 1)).toBe(true)
    expect(posts).toBeGreaterThanOrEqual(20)
    isAway = false
    clock.ahead += 61_000
    await eventually(async () => expect(await read()).toEqual([]))
  })
})
