import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { FIRST_ATTEMPTS } from '../../test/support/attempts.ts'
import { bytesOf } from '../bucket/bucket.ts'
import { openEmbeddedBucket } from '../bucket/embedded-bucket.ts'
import { objectsIn } from '../bucket/message-objects.ts'
import { parseRecipient } from '../domain/address.ts'
import { metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import { parseMail, UNREADABLE, type ParsedMail } from '../mime/parse-mail.ts'
import { newId } from '../random.ts'
import type { Post } from './announce.ts'
import { announceStored, type AnnouncePorts } from './announce-stored.ts'
import { decodeMetadata } from './metadata.ts'
import { receive } from './receive.ts'

/** One stored mail; `announce` posts it with the given function. */
async function startWithMail() {
  const bucket = openEmbeddedBucket(join(temporaryFolder(), 'inbox.db'))
  onTestFinished(() => bucket.close())
  const raw = new TextEncoder().encode('Subject: Hello\r\n\r\nHello\r\n')
  await receive(
    { bucket, announcer: null, rootDomain: 'in.test', newId, now: Date.now },
    {
      recipients: [parseRecipient('qa@in.test')!],
      envelope: { mailFrom: '', helo: null, remoteAddress: null, tls: false, receivedVia: 'smtp' },
      raw,
      parse: async () => parseMail(raw),
    },
  )
  const keys = async (prefix = '') => (await bucket.list({ prefix, limit: 10 })).keys
  const [key] = await keys(metadataPrefix('unprocessed'))
  const parse = async (object: Parameters<typeof bytesOf>[0]) => parseMail(await bytesOf(object))
  const announce = (post: Post) => announceStored({ bucket, parse, post, history: FIRST_ATTEMPTS, now: Date.now }, key!)
  const announceBy = (ports: Partial<AnnouncePorts>) =>
    announceStored({ bucket, parse, post: accept, history: FIRST_ATTEMPTS, now: Date.now, ...ports }, key!)
  return { bucket, keys, key: key!, announce, announceBy }
}

const accept: Post = async () => ({ status: 200, text: '' })
const refuse: Post = async () => ({ status: 503, text: 'busy' })

test('accepted: the metadata moves; refused: the attempt is recorded in it', async () => {
  const { bucket, key, keys, announce } = await startWithMail()
  expect(await announce(refuse)).toMatchObject({ outcome: 'failed', metadata: { attempts: 1, lastStatus: 503 } })
  const kept = decodeMetadata(await bytesOf((await bucket.get(key))!))
  expect(kept).toMatchObject({ status: 'unprocessed', attempts: 1, lastError: '503 busy' })
  expect(await announce(accept)).toMatchObject({ outcome: 'processed', metadata: { status: 'processed' } })
  expect(await keys(metadataPrefix('unprocessed'))).toEqual([])
  expect(await keys(metadataPrefix('processed'))).toHaveLength(1)
  expect(await announce(accept)).toEqual({ outcome: 'gone' })
})

test.each([
  ['refused', refuse],
  ['taken', accept],
])('a message removed while it is announced stays removed, also when it is %s', async (_, answer) => {
  const { bucket, key, keys, announce } = await startWithMail()
  await announce(async (announcement) => {
    await objectsIn(bucket).remove([parseMetadataKey(key)!])
    return answer(announcement)
  })
  expect(await keys()).toEqual([])
})

test('metadata without raw mail is not announced', async () => {
  const { bucket, keys, announce } = await startWithMail()
  await bucket.remove(await keys('raw/'))
  expect(await announce(accept)).toMatchObject({ outcome: 'raw gone' })
  expect(await keys(metadataPrefix('unprocessed'))).toHaveLength(1)
})

/** For a worker that has just restarted: the mail is from the previous run. */
function restarted(startedAt = Date.now()): AnnouncePorts['history'] {
  return { ...FIRST_ATTEMPTS, startedAt, isFromEarlierRun: () => true }
}

test('a storage that is temporarily unreadable does not set mail aside', async () => {
  const { announceBy } = await startWithMail()
  const history = restarted()
  const parse = async () => {
    throw new Error('EIO')
  }
  for (let times = 0; times < 5; times++) await expect(announceBy({ history, parse })).rejects.toThrow('EIO')
  expect(await announceBy({ history })).toMatchObject({ outcome: 'processed', metadata: { setAside: null } })
})

test('a result that cannot be recorded temporarily does not set mail aside', async () => {
  const { bucket, announceBy } = await startWithMail()
  const history = restarted()
  for (let times = 0; times < 5; times++) {
    let writes = 0
    const failing: AnnouncePorts['bucket'] = {
      get: bucket.get,
      // The mark of the started attempt is written, the result is not.
      move: (from, to) => (writes++ === 0 ? bucket.move(from, to) : Promise.reject(new Error('ENOSPC'))),
    }
    expect(await announceBy({ history, bucket: failing, post: refuse })).toMatchObject({ metadata: { setAside: null } })
  }
  expect(await announceBy({ history })).toMatchObject({ outcome: 'processed' })
})

test('mail whose announcement cannot be created is set aside after three attempts, while other mail is accepted', async () => {
  const { announceBy } = await startWithMail()
  const parse = async (): Promise<ParsedMail> => ({
    ...UNREADABLE,
    get html(): string {
      throw new TypeError('A fault in the worker')
    },
  })
  const others = { wasTaken: true, taken: 5, healed: 0, failing: 0 }
  const history = { ...FIRST_ATTEMPTS, noteFailure: () => others }
  const start = Date.now()
  for (const ownFailures of [1, 2]) {
    const attempt = announceBy({ history, parse, now: () => start + ownFailures * 60_000 })
    expect(await attempt).toMatchObject({ metadata: { ownFailures, lastStatus: null, lastCode: 'worker_failed' } })
  }
  const last = await announceBy({ history, parse, now: () => start + 180_000 })
  expect(last).toMatchObject({ metadata: { setAside: { reason: expect.stringContaining('the worker cannot') } } })
})

test('mail that ends the program three times is set aside', async () => {
  const { announceBy } = await startWithMail()
  const ends = () => new Promise<never>(() => {})
  const start = Date.now()
  for (const minute of [1, 2]) {
    const at = start + minute * 60_000
    let isPosted = false
    const post = () => {
      isPosted = true
      return ends()
    }
    void announceBy({ history: restarted(at), post, now: () => at })
    await expect.poll(() => isPosted).toBe(true)
  }
  const at = start + 180_000
  expect(await announceBy({ history: restarted(at), now: () => at })).toMatchObject({
    outcome: 'failed',
    metadata: { setAside: { reason: expect.stringContaining('program ended') } },
  })
})
