import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { openForReading } from '../../src/sqlite/connection.ts'
import type * as WriterModule from '../../src/sqlite/writer.ts'
import { startServer } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { listEverything } from '../support/stored-mail.ts'
import { watchWriter } from '../support/watched-writer.ts'

/** The writer thread of the server under test. */
let watched: ReturnType<typeof watchWriter>

vi.mock('../../src/sqlite/writer.ts', async (importOriginal) => {
  const { openWriter } = await importOriginal<typeof WriterModule>()
  return { openWriter: (path: string) => openWriter(path, { threadUrl: watched.threadUrl }) }
})

beforeEach(() => {
  watched = watchWriter()
})

function countRows(dataDir: string, table: 'objects' | 'parts'): number {
  const connection = openForReading(join(dataDir, 'inbox.db'))
  const row = connection.prepare(`select count(*) as count from ${table}`).get()!
  connection.close()
  return Number(row['count'])
}

function mailOf(sizeBytes: number): Uint8Array {
  const text = randomBytes(sizeBytes).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  return Buffer.from(`Subject: large\r\n\r\n${text}\r\n`)
}

const FAULTS = [
  { name: 'a full disk', disk: 'full', reply: /^452 4\.3\.1 / },
  { name: 'a disk that fails to write', disk: 'failing', reply: /^451 4\.3\.0 / },
] as const

describe.each(FAULTS)('$name', ({ disk, reply }) => {
  test.each([
    ['a mail of 200 kB', 200_000],
    ['a mail of 3 MB, which is stored in parts', 3_000_000],
  ])('makes the sender keep %s, and the session continues afterwards', async (_name, sizeBytes) => {
    const { sdk, smtpPort, dataDir } = await startServer()
    const client = await SmtpClient.connect(smtpPort)
    const mail = { to: 'qa+big@mailhatch.test', raw: mailOf(sizeBytes) }
    await watched.turnDisk('inbox.db', disk)
    expect(await client.send(mail)).toMatch(reply)
    expect(await client.send(mail)).toMatch(reply)
    expect(countRows(dataDir, 'objects')).toBe(0)
    expect(countRows(dataDir, 'parts')).toBe(0)
    expect(await listEverything(sdk)).toEqual([])
    await watched.turnDisk('inbox.db', 'healthy')
    expect(await client.send(mail)).toMatch(/^250 /)
    await sdk.messages.waitFor({ tag: 'big' })
    expect(await listEverything(sdk)).toHaveLength(1)
    client.close()
  })

  test('for one mail does not affect accepted mail', async () => {
    const { sdk, smtpPort, dataDir } = await startServer()
    const client = await SmtpClient.connect(smtpPort)
    expect(await client.send({ to: 'qa+first@mailhatch.test', raw: mailOf(50_000) })).toMatch(/^250 /)
    await sdk.messages.waitFor({ tag: 'first' })
    await watched.turnDisk('inbox.db', disk)
    expect(await client.send({ to: 'qa+second@mailhatch.test', raw: mailOf(200_000) })).toMatch(reply)
    await watched.turnDisk('inbox.db', 'healthy')
    expect((await listEverything(sdk)).map(({ tag }) => tag)).toEqual(['first'])
    expect(countRows(dataDir, 'objects')).toBe(2)
    client.close()
  })
})

test('mail is refused temporarily if less than DISK_FREE_MIN is free', async () => {
  const { sdk, smtpPort, dataDir } = await startServer({ DISK_FREE_MIN: String(Number.MAX_SAFE_INTEGER) })
  const client = await SmtpClient.connect(smtpPort)
  expect(await client.send({ to: 'qa@mailhatch.test', raw: mailOf(1_000) })).toMatch(/^452 4\.3\.1 /)
  expect(countRows(dataDir, 'objects')).toBe(0)
  expect(await listEverything(sdk)).toEqual([])
  client.close()
})
