import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startChild } from './support/child-server.ts'
import { runToExit } from './support/in-process.ts'
import { withDatabase } from './support/journey-database.ts'
import { serveIn, temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

/** The widest umask. */
const WITHOUT_UMASK = ['sh', '-c', 'umask 0; exec "$@"', 'sh']
const OTHERS = 0o077
/** More than is kept in memory. */
const LARGE_BYTES = 1_500_000

/** Everything below a folder, with its mode. A running program may rename a file meanwhile. */
function entriesIn(folder: string): { path: string; mode: number }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name)
    const entry = lstatSync(path, { throwIfNoEntry: false })
    return entry ? [{ path, mode: entry.mode & 0o777 }] : []
  })
}

function openToOthers(folder: string): string[] {
  return entriesIn(folder)
    .filter(({ mode }) => (mode & OTHERS) !== 0)
    .map(({ path, mode }) => `${relative(folder, path)} ${mode.toString(8)}`)
}

/** Files created earlier, readable by all users. */
function existingFolder(): string {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  return folder
}

/** A large mail that is still being sent. */
async function beginLargeMail(smtpPort: number): Promise<void> {
  const socket = connect(smtpPort, '127.0.0.1')
  // The server is killed in the middle of the mail.
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'data')
  for (const line of ['EHLO a', 'MAIL FROM:<a@shop.example>', 'RCPT TO:<qa@mailhatch.test>', 'DATA']) {
    socket.write(`${line}\r\n`)
    await once(socket, 'data')
  }
  socket.write(`Subject: large\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(LARGE_BYTES / 72)}`)
}

/** Where raw mail may be, with a check that it is there. */
const STORAGES = {
  'inbox.db': { settings: () => ({}), names: ['inbox.db', 'inbox.db-wal', 'inbox.db-shm'] },
  'a folder': { settings: (objects: string) => ({ INBOX_STORAGE: `file:${objects}` }), names: [] },
}

test.each(Object.keys(STORAGES) as (keyof typeof STORAGES)[])(
  'stored files are readable only by their owner, with mail in %s',
  async (storage) => {
    const dataDir = existingFolder()
    const shared = existingFolder()
    const objects = join(shared, 'mail')
    const environment = { DATA_DIR: dataDir, ...STORAGES[storage].settings(objects) }
    const first = await startChild({ environment, launcher: WITHOUT_UMASK })
    const client = await SmtpClient.connect(first.smtpPort)
    const raw = Buffer.from('Subject: hello\r\n\r\nhello\r\n')
    expect(await client.send({ to: 'qa+a@mailhatch.test', raw })).toMatch(/^250 /)
    client.close()
    await beginLargeMail(first.smtpPort)
    await vi.waitFor(() => expect(readdirSync(join(dataDir, 'spool'))).toHaveLength(1), 10_000)
    expect(readdirSync(dataDir)).toEqual(
      expect.arrayContaining(['inbox-lock.db', 'api-key', ...STORAGES[storage].names]),
    )
    expect([...openToOthers(dataDir), ...openToOthers(shared)]).toEqual([])
    await first.kill()

    // As an earlier version or a restored copy left them.
    for (const { path } of [...entriesIn(dataDir), ...entriesIn(shared)]) {
      chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644)
    }
    expect(openToOthers(dataDir).length).toBeGreaterThan(3)
    const second = await startChild({ environment, launcher: WITHOUT_UMASK })
    expect(openToOthers(dataDir)).toEqual([])
    // Everything in a private folder is private, whatever its own mode.
    const below = entriesIn(shared).filter(({ path }) => dirname(path) === objects)
    expect(below.filter(({ mode }) => (mode & OTHERS) !== 0)).toEqual([])
    expect(await second.stop()).toBe(0)
  },
)

test('a backup is readable only by its owner', async () => {
  const dataDir = existingFolder()
  const server = await serveIn(dataDir, { INBOX_STORAGE: '' })
  onTestFinished(() => server.close())
  const target = join(existingFolder(), 'backup')
  const words = ['backup', '--to', target, '--bucket-only']
  const { code } = await runToExit(words, await withDatabase({ DATA_DIR: dataDir }))
  expect(code).toBe(0)
  expect(entriesIn(target).map(({ path }) => relative(target, path))).toContain('inbox.db')
  expect(openToOthers(join(target, '..'))).toEqual([])
})
