import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import type * as WriterModule from '../src/sqlite/writer.ts'
import { runServe, sentenceOf } from './support/program.ts'
import { randomMail } from './support/random-mail.ts'
import { startServer, temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'
import { listEverything, unprocessedMail } from './support/stored-mail.ts'
import { watchWriter } from './support/watched-writer.ts'

/** The writer thread of the server under test. */
let watched: ReturnType<typeof watchWriter>

vi.mock('../src/sqlite/writer.ts', async (importOriginal) => {
  const { openWriter } = await importOriginal<typeof WriterModule>()
  return { openWriter: (path: string) => openWriter(path, { threadUrl: watched.threadUrl }) }
})

test('a database of a newer version stops the start with an error', async () => {
  const dataDir = temporaryFolder()
  const database = new DatabaseSync(join(dataDir, 'mailhatch.db'))
  database.exec('pragma user_version = 9999')
  database.close()
  expect(sentenceOf(await runServe({ DATA_DIR: dataDir }))).toContain('newer')
})

test.each(['mailhatch.db', 'inbox.db', 'lock.db'])(
  'a file that is not a database stops the start with an error: %s',
  async (name) => {
    const dataDir = temporaryFolder()
    writeFileSync(join(dataDir, name), 'This is no database. '.repeat(100))
    const sentence = sentenceOf(await runServe({ DATA_DIR: dataDir }))
    expect(sentence).toContain(`${join(dataDir, name)} cannot be used: file is not a database. It is damaged`)
  },
)

test('mail accepted while the message database is full appears when there is room again', async () => {
  watched = watchWriter()
  const { sdk, smtpPort, dataDir } = await startServer()
  const client = await SmtpClient.connect(smtpPort)
  await watched.turnDisk('mailhatch.db', 'full')
  expect(await client.send({ to: 'qa+late@mailhatch.test', raw: randomMail('late', 400_000) })).toMatch(/^250 /)
  const isRefused = () => unprocessedMail(join(dataDir, 'inbox.db')).some(({ attempts }) => attempts > 0)
  await vi.waitUntil(isRefused)
  expect(await listEverything(sdk)).toEqual([])
  await watched.turnDisk('mailhatch.db', 'healthy')
  await sdk.messages.waitFor({ tag: 'late' }, { timeout: 30_000 })
  expect(await listEverything(sdk)).toHaveLength(1)
  client.close()
})

test('a clean stop leaves everything in the databases, and no sign of a crash', async () => {
  watched = watchWriter()
  const { sdk, smtpPort, dataDir, close } = await startServer()
  const client = await SmtpClient.connect(smtpPort)
  await client.send({ to: 'qa+last@mailhatch.test', raw: randomMail('last', 4_000) })
  client.close()
  await sdk.messages.waitFor({ tag: 'last' }, { timeout: 30_000 })
  const logs = () => readdirSync(dataDir).filter((name) => name.endsWith('-wal') && !name.includes('lock'))
  expect(logs().sort()).toEqual(['inbox.db-wal', 'mailhatch.db-wal'])
  await close()
  expect(logs()).toEqual([])
})
