import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../support/server.ts'
import { examine } from './examine.ts'

/** A connection of another program to a file of the server. */
function openFile(dataDir: string, name: string): DatabaseSync {
  const connection = new DatabaseSync(join(dataDir, name), { timeout: 10_000 })
  onTestFinished(() => {
    if (connection.isOpen) connection.close()
  })
  return connection
}

test('a lock for writing that another process holds is a failure, and none after it is released', async () => {
  const { dataDir } = await startServer()
  const settings = { DATA_DIR: dataDir, DISK_FREE_MIN: '0' }
  const other = openFile(dataDir, 'mailhatch.db')
  other.exec('begin immediate')
  const held = await examine(settings)
  expect([held.code, held.healthy]).toEqual([1, false])
  expect(held.of('locks')).toMatchObject({
    state: 'fail',
    says: 'another process holds the lock for writing for more than 2 s',
    advice: expect.stringContaining('fuser -v'),
  })
  expect(held.findings.filter(({ state }) => state === 'fail').map(({ check }) => check)).toEqual(['locks'])
  other.exec('rollback')
  expect((await examine(settings)).of('locks').state).toBe('ok')
})

test('a schema of a newer version is a failure, one of an older version a warning', async () => {
  const { dataDir, close } = await startServer()
  await close()
  const settings = { DATA_DIR: dataDir, DISK_FREE_MIN: '0' }
  const setVersion = (version: number) => {
    const connection = openFile(dataDir, 'mailhatch.db')
    connection.exec(`pragma user_version = ${version}`)
    connection.close()
  }
  setVersion(99)
  expect((await examine(settings)).of('database')).toMatchObject({
    state: 'fail',
    says: expect.stringContaining('schema 99 is newer'),
  })
  setVersion(10)
  expect((await examine(settings)).of('database')).toMatchObject({
    state: 'warn',
    advice: expect.stringContaining('mailhatch db migrate'),
  })
})

test('a database in another journal mode is a warning, and stays as it is', async () => {
  const { dataDir, close } = await startServer()
  await close()
  const connection = openFile(dataDir, 'mailhatch.db')
  connection.exec('pragma journal_mode = delete')
  connection.close()
  const { of } = await examine({ DATA_DIR: dataDir, DISK_FREE_MIN: '0' })
  expect(of('commits')).toMatchObject({ state: 'warn', says: 'journal_mode=delete' })
  expect(openFile(dataDir, 'mailhatch.db').prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' })
})

test('a write-ahead log that has grown too large is a warning', async () => {
  const { dataDir, close } = await startServer()
  await close()
  const log = join(dataDir, 'mailhatch.db-wal')
  writeFileSync(log, '')
  // Sparse, and no valid log, which SQLite takes as an empty one.
  truncateSync(log, 300 * 1024 * 1024)
  const { of } = await examine({ DATA_DIR: dataDir, DISK_FREE_MIN: '0' })
  expect(of('database')).toMatchObject({ state: 'warn', advice: expect.stringContaining('replication') })
  expect(statSync(log).size).toBe(300 * 1024 * 1024)
})

test('mail that a server is receiving is not touched by the round trip in its bucket', async () => {
  const { dataDir } = await startServer()
  const inbox = openFile(dataDir, 'inbox.db')
  // A part of a large mail whose object is not there yet.
  inbox.exec(`insert into parts (upload, part, body) values ('in-progress', 0, x'00')`)
  expect((await examine({ DATA_DIR: dataDir, DISK_FREE_MIN: '0' })).of('bucket').state).toBe('ok')
  expect(inbox.prepare('select upload from parts').all()).toEqual([{ upload: 'in-progress' }])
  expect(inbox.prepare(`select count(*) as left from objects where key like 'doctor%'`).get()).toEqual({ left: 0 })
})
