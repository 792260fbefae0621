import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Announcement } from '@mailhatch/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { openFolderBucket } from '../bucket/folder-bucket.ts'
import { parseRecipient } from '../domain/address.ts'
import { createMailParser } from '../mime/mail-parser.ts'
import { newId } from '../random.ts'
import { createAnnouncer } from './announcer.ts'
import { receive } from './receive.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Mail of an earlier run, stored and never announced, and an announcer that has just started beside it. */
async function startBeside(root: string, post: (announcement: Announcement) => Promise<number>) {
  const bucket = await openFolderBucket(root)
  const parser = createMailParser()
  const announcer = createAnnouncer({
    bucket,
    parser,
    post: async (announcement) => ({ status: await post(announcement), text: 'no' }),
    now: Date.now,
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

test('files that are none of ours do not keep mail of an earlier run from being announced', async () => {
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
  await vi.waitFor(async () => {
    expect((await bucket.list({ prefix: 'messages/processed/', limit: 10 })).keys).toHaveLength(1)
  })
  expect(announced).toEqual(['qa+1@in.test'])
  await vi.waitFor(() => expect(announcer.oldestWaitingAt()).toBeNull())
})

test('a mail whose raw bytes are gone is given up, and others go on', async () => {
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
  await vi.waitFor(() => expect(announced).toEqual(['qa@in.test']))
  await vi.waitFor(() => expect(announcer.oldestWaitingAt()).toBeNull())
})

test('what the API refuses for good no longer counts as waiting', async () => {
  const root = temporaryFolder()
  const announced: string[] = []
  const { announcer, store } = await startBeside(root, async ({ to }) => {
    announced.push(to)
    return 404
  })
  await store('qa@in.test')
  await announcer.start()
  await vi.waitFor(() => expect(announced).toEqual(['qa@in.test']))
  await vi.waitFor(() => expect(announcer.oldestWaitingAt()).toBeNull())
})
