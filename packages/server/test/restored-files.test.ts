import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { Mailhatch } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { REPOSITORY } from './support/markdown.ts'
import { serveIn, startServer, temporaryFolder } from './support/server.ts'

// What docs/operate/litestream.md says about databases that a replication tool reads, and about files of two moments.

type Copy = 'early' | 'late'

/** Copies a database as it is now. */
async function copyFile(dataDir: string, name: string, target: string): Promise<void> {
  const source = new DatabaseSync(join(dataDir, name), { readOnly: true })
  await backup(source, target)
  source.close()
}

/** An installation with copies of its databases from before and after its second mail. */
async function installationWithCopies() {
  const copies = temporaryFolder()
  const server = await startServer()
  const copyAll = async (copy: Copy) => {
    for (const name of ['mailhatch.db', 'inbox.db'])
      await copyFile(server.dataDir, name, join(copies, `${copy}-${name}`))
  }
  const send = async (subject: string) => {
    await server.sendMail({ to: 'qa@mailhatch.test', subject, text: 'Hello' })
    return (await server.sdk.messages.waitFor({ subject }, { timeout: 30_000 })).id
  }
  const inbox = new DatabaseSync(join(server.dataDir, 'inbox.db'), { readOnly: true })
  onTestFinished(() => inbox.close())
  const isProcessed = (id: string) => () =>
    inbox.prepare(`select count(*) as count from objects where key like 'messages/processed/%' || ? || '.json'`).get(id)
  const first = await send('First')
  await expect.poll(isProcessed(first)).toEqual({ count: 1 })
  await copyAll('early')
  const second = await send('Second')
  await expect.poll(isProcessed(second)).toEqual({ count: 1 })
  await copyAll('late')
  await server.close()

  /** A server on files of the given moments. */
  async function restore(store: Copy, bucket: Copy, change: (inbox: DatabaseSync) => void = () => {}) {
    const dataDir = join(temporaryFolder(), 'data')
    mkdirSync(dataDir)
    cpSync(join(copies, `${store}-mailhatch.db`), join(dataDir, 'mailhatch.db'))
    cpSync(join(copies, `${bucket}-inbox.db`), join(dataDir, 'inbox.db'))
    for (const name of ['secrets.json', 'api-key']) cpSync(join(server.dataDir, name), join(dataDir, name))
    const restored = new DatabaseSync(join(dataDir, 'inbox.db'))
    change(restored)
    restored.close()
    const running = await serveIn(dataDir, {})
    onTestFinished(() => running.close())
    const url = `http://127.0.0.1:${running.apiPort}`
    const sdk = new Mailhatch({ url, apiKey: server.apiKey })
    const transport = createTransport({ host: '127.0.0.1', port: running.smtpPort! })
    onTestFinished(() => transport.close())
    /** After a new mail, so that what a start announces again has arrived too. */
    const subjects = async () => {
      await transport.sendMail({ from: 'a@shop.example', to: 'qa@mailhatch.test', subject: 'New', text: 'Hello' })
      await sdk.messages.waitFor({ subject: 'New' }, { timeout: 30_000 })
      const { data } = await sdk.messages.list({ mailbox: 'qa' })
      return data.map(({ subject }) => subject).toSorted()
    }
    const rawStatus = async (id: string) => {
      const headers = { authorization: `Bearer ${server.apiKey}` }
      return (await fetch(`${url}/v1/messages/${id}/raw`, { headers })).status
    }
    return { subjects, rawStatus }
  }
  return { first, second, restore }
}

test('with a bucket that is newer than the database, mail between the two moments is not shown, until its metadata is moved', async () => {
  const { restore } = await installationWithCopies()
  expect(await (await restore('early', 'late')).subjects()).toEqual(['First', 'New'])
  const page = readFileSync(join(REPOSITORY, 'docs/operate/litestream.md'), 'utf8')
  const [, statement] = /sqlite3 restored\/inbox.db "(update [^"]*)"/.exec(page)!
  const moveSince = (at: string) => (inbox: DatabaseSync) => inbox.exec(statement!.replace(/'\d{4}-[^']*'/, `'${at}'`))
  const tooLate = await restore('early', 'late', moveSince(new Date().toISOString()))
  expect(await tooLate.subjects()).toEqual(['First', 'New'])
  const moved = await restore('early', 'late', moveSince('2020-01-01T00:00:00Z'))
  // Each once, also those that the database had.
  await expect.poll(moved.subjects).toEqual(expect.arrayContaining(['First', 'Second']))
  expect((await moved.subjects()).filter((subject) => subject !== 'New')).toEqual(['First', 'Second'])
})

test('with a database that is newer than the bucket, all messages are shown, without raw mail after that moment', async () => {
  const { first, second, restore } = await installationWithCopies()
  const { subjects, rawStatus } = await restore('late', 'early')
  expect(await subjects()).toEqual(['First', 'New', 'Second'])
  expect([await rawStatus(first), await rawStatus(second)]).toEqual([200, 404])
})

test('a server works beside a process that reads without an end, has tables of its own and checkpoints', async () => {
  const { dataDir, sendMail, sdk, close } = await startServer()
  const names = ['mailhatch.db', 'inbox.db']
  const others = names.map((name) => {
    const reader = new DatabaseSync(join(dataDir, name), { readOnly: true })
    const writer = new DatabaseSync(join(dataDir, name), { timeout: 1_000 })
    onTestFinished(() => {
      reader.close()
      writer.close()
    })
    writer.exec('create table _other_lock (id integer); create table _other_seq (id integer primary key, seq integer)')
    return { reader, writer }
  })
  for (let number = 0; number < 30; number++) {
    for (const { reader, writer } of others) {
      if (reader.isTransaction) reader.exec('rollback')
      writer.exec('begin immediate; insert into _other_lock (id) values (1); rollback')
      writer.exec(`pragma wal_checkpoint(${number % 10 === 0 ? 'truncate' : 'passive'})`)
      reader.exec('begin; select count(*) from sqlite_schema')
    }
    await sendMail({ to: 'qa@mailhatch.test', subject: `Mail ${number}`, text: 'Hello' })
  }
  await sdk.messages.waitFor({ subject: 'Mail 29' }, { timeout: 30_000 })
  await expect.poll(async () => (await sdk.messages.list({ mailbox: 'qa', limit: 50 })).data.length).toBe(30)
  await close()
  // The log stays after a clean stop, because the other process has it open. So the next start checks the whole file.
  for (const name of names) {
    const log = join(dataDir, `${name}-wal`)
    expect(existsSync(log) && statSync(log).size > 0).toBe(true)
  }
  const again = await serveIn(dataDir, {})
  await again.close()
})
