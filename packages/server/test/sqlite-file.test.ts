import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import type * as WriterModule from '../src/sqlite/writer.ts'
import { runServe, sentenceOf, startProgram } from './support/program.ts'
import { randomMail } from './support/random-mail.ts'
import { startServer, temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'
import { listEverything, unprocessedMail } from './support/stored-mail.ts'
import { watchWriter } from './support/watched-writer.ts'

/** The writer thread of the server under test. */
let watched: ReturnType<typeof watchWriter>

vi.mock('../src/sqlite/writer.ts', async (importOriginal) => {
  const { openWriter } = await importOriginal<typeof WriterModule>()
  return { openWriter: (path: string) => openWriter(path, watched.threadUrl) }
})

test('a database written by a newer version ends the start with a sentence', async () => {
  const dataDir = temporaryFolder()
  await (await startProgram('serve', { DATA_DIR: dataDir })).stop()
  const database = new DatabaseSync(join(dataDir, 'mailhatch.db'))
  database.exec('pragma user_version = 9999')
  database.close()
  expect(sentenceOf(await runServe({ DATA_DIR: dataDir }))).toContain('newer')
})

test('mail accepted while the database of messages is full appears when there is room again', async () => {
  watched = watchWriter()
  const { sdk, smtpPort, dataDir } = await startServer()
  const client = await SmtpClient.connect(smtpPort)
  await watched.turnDisk('mailhatch.db', 'full')
  expect(await client.send({ to: 'qa+late@mailhatch.test', raw: randomMail('late', 400_000) })).toMatch(/^250 /)
  const isRefused = () => unprocessedMail(join(dataDir, 'inbox.db')).some(({ attempts }) => attempts > 0)
  await vi.waitUntil(isRefused, { timeout: 20_000 })
  expect(await listEverything(sdk)).toEqual([])
  await watched.turnDisk('mailhatch.db', 'healthy')
  await sdk.messages.waitFor({ tag: 'late' }, { timeout: 30_000 })
  expect(await listEverything(sdk)).toHaveLength(1)
  client.close()
})
