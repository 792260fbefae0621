import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { openEmbeddedBucket } from '../../src/bucket/embedded-bucket.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { modelPowerCuts } from '../support/power-cut-model.ts'
import { randomMail, randomSize } from '../support/random-mail.ts'
import { startReceiver } from '../support/receiver.ts'
import { temporaryFolder } from '../support/server.ts'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { watchFiles, type FileStep } from '../support/watched-files.ts'
import { watchWriter } from '../support/watched-writer.ts'
import { findEarlyAcceptances, type Moments } from './acceptance-order.ts'

const MAILS = 40
const CONNECTIONS = 6
const MAIL_BYTES = { bytesMin: 500, bytesMax: 60_000 }
/** Large enough to be streamed through a spool file. */
const LARGE_MAIL_BYTES = 1_200_000
const LARGE_ONE_IN = 10
/** `pragma synchronous`: a commit waits for the disk. */
const FULL = 2

const now = () => process.hrtime.bigint()

type OnDurable = (key: string, at: bigint) => void

function openWatchedEmbedded(onDurable: OnDurable, pragma = ''): Bucket {
  const { threadUrl } = watchWriter({
    pragma,
    onCommit({ at, keys, synchronous }) {
      if (synchronous >= FULL) for (const key of keys) onDurable(key, at)
    },
  })
  return openEmbeddedBucket(join(temporaryFolder(), 'inbox.db'), { threadUrl })
}

async function openWatchedFolder(
  onDurable: OnDurable,
  { root = temporaryFolder(), beforeStep = (_step: FileStep) => {} } = {},
): Promise<Bucket> {
  const model = modelPowerCuts((path) => onDurable(relative(root, path), now()))
  const files = watchFiles((step) => {
    beforeStep(step)
    return model(step)
  })
  return openFolderBucket(root, { files })
}

/** Reports success before anything is stored. */
function acknowledgingEarly(bucket: Bucket): { put: Bucket['put']; settled: () => Promise<unknown> } {
  const puts: Promise<unknown>[] = []
  return {
    async put(objects) {
      // Large mail may fail, because its spool file is deleted once the receiver considers it stored.
      puts.push(bucket.put(objects).catch((error: unknown) => error))
    },
    settled: () => Promise.all(puts),
  }
}

/** Sends mail to several mailboxes at once and returns acceptances that came too early. */
async function sendAndCheck(
  open: (onDurable: OnDurable) => Bucket | Promise<Bucket>,
  { isEarly = false } = {},
): Promise<string[]> {
  const moments: Moments = { durable: new Map(), taken: new Map(), accepted: new Map() }
  const bucket = await open((key, at) => moments.durable.set(key, at))
  onTestFinished(() => bucket.close())
  const early = acknowledgingEarly(bucket)
  const server = await startReceiver(isEarly ? early : bucket, (tag) => moments.taken.set(tag ?? '', now()))
  let next = 0
  async function sendInTurn(): Promise<void> {
    const client = await SmtpClient.connect(server.port)
    while (next < MAILS) {
      const tag = `m${next++}`
      const raw = randomMail(tag, next % LARGE_ONE_IN === 0 ? LARGE_MAIL_BYTES : randomSize(MAIL_BYTES))
      const reply = await client.send({ to: `box${next % 10}+${tag}@in.test`, raw })
      expect(reply).toSatisfy(isAccepted)
      moments.accepted.set(tag, now())
    }
    client.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendInTurn))
  await early.settled()
  expect(moments.accepted.size).toBe(MAILS)
  return findEarlyAcceptances(moments, bucket)
}

test('no mail is accepted before its bytes are on the disk', async () => {
  expect(await sendAndCheck((onDurable) => openWatchedEmbedded(onDurable))).toEqual([])
})

test('no mail is accepted before its files, and the folders they are in, are on the disk', async () => {
  expect(await sendAndCheck((onDurable) => openWatchedFolder(onDurable))).toEqual([])
})

test('the first mail to a new mailbox is stored only once its folder is on the disk', async () => {
  const durable = new Set<string>()
  const bucket = await openWatchedFolder((key) => durable.add(key))
  const early: string[] = []
  for (let folder = 0; folder < 20; folder++) {
    const keys = Array.from({ length: 10 }, (_, file) => `raw/in.test/new${folder}/${file}`)
    const puts = keys.map(async (key) => {
      await bucket.put([{ key, body: Buffer.from('mail') }])
      if (!durable.has(key)) early.push(key)
    })
    await Promise.all(puts)
  }
  expect(early).toEqual([])
})

test('the first mail into a new INBOX_STORAGE folder is stored only once that folder is on the disk', async () => {
  const durable: string[] = []
  const root = join(temporaryFolder(), 'not', 'yet', 'there')
  const bucket = await openWatchedFolder((key) => durable.push(key), { root })
  await bucket.put([{ key: 'raw/in.test/qa/1', body: Buffer.from('mail') }])
  expect(durable).toEqual(['raw/in.test/qa/1'])
})

test('after a new folder could not be synced, the next mail there waits until it is', async () => {
  const durable: string[] = []
  let isFailing = false
  const bucket = await openWatchedFolder((key) => durable.push(key), {
    beforeStep({ name }) {
      if (isFailing && name === 'sync folder') throw new Error('the disk failed')
    },
  })
  isFailing = true
  await expect(bucket.put([{ key: 'raw/in.test/qa/1', body: Buffer.from('mail') }])).rejects.toThrow('the disk failed')
  isFailing = false
  await bucket.put([{ key: 'raw/in.test/qa/2', body: Buffer.from('mail') }])
  expect(durable).toEqual(['raw/in.test/qa/2'])
})

test('control: a store that reports success too early is detected', async () => {
  expect(
    (await sendAndCheck((onDurable) => openWatchedEmbedded(onDurable), { isEarly: true })).length,
  ).toBeGreaterThanOrEqual(MAILS)
  expect(
    (await sendAndCheck((onDurable) => openWatchedFolder(onDurable), { isEarly: true })).length,
  ).toBeGreaterThanOrEqual(MAILS)
})

test('control: commits that do not wait for the disk are detected', async () => {
  const early = await sendAndCheck((onDurable) => openWatchedEmbedded(onDurable, 'pragma synchronous = normal'))
  expect(early.length).toBeGreaterThanOrEqual(MAILS)
})
