import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { checkClock } from '../../src/cli/deep/clock.ts'
import { checkDisk, checkFiles, checkMemory } from '../../src/cli/deep/limits.ts'
import { checkNames, createNameService, type NameService } from '../../src/cli/deep/name-resolution.ts'
import { filesMaxIn } from '../../src/cli/deep/server-process.ts'
import { checkSyncSpeed } from '../../src/cli/deep/sync-speed.ts'
import { within } from '../../src/cli/deep/within.ts'
import { faultyFiles } from '../support/faulty-files.ts'
import { startServer, temporaryFolder } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { examine, installation } from './examine.ts'

const MAILHATCH = fileURLToPath(new URL('../../bin/mailhatch.js', import.meta.url))
const MIB = 1024 * 1024

test('beside a running server, doctor --deep finds nothing wrong and leaves nothing behind', async () => {
  const { dataDir, sendMail, sdk } = await startServer()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Kept', text: 'Hello' })
  await sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: 30_000 })
  const before = readdirSync(dataDir, { recursive: true }).toSorted()
  const { code, healthy, findings, of } = await examine({ DATA_DIR: dataDir, DISK_FREE_MIN: '0' })
  expect({ code, healthy }).toEqual({ code: 0, healthy: true })
  expect(findings.map(({ check }) => check)).toEqual([
    'settings',
    'sync',
    'disk',
    'files',
    'memory',
    'dns',
    'database',
    'commits',
    'locks',
    'connections',
    'clock',
    'bucket',
  ])
  for (const check of ['settings', 'database', 'commits', 'locks', 'clock', 'bucket'])
    expect(of(check)).toMatchObject({ state: 'ok' })
  expect(of('database').figures).toMatchObject({ schema: expect.any(Number), readMs: expect.any(Number) })
  expect(of('bucket').figures).toMatchObject({ putMs: expect.any(Number), removeMs: expect.any(Number) })
  expect(readdirSync(dataDir, { recursive: true }).toSorted()).toEqual(before)
  expect((await sdk.messages.list({ mailbox: 'qa' })).data).toHaveLength(1)
})

test('before the first start, doctor --deep creates nothing', async () => {
  const folder = temporaryFolder()
  const { healthy, of } = await examine({ DATA_DIR: join(folder, 'data'), SMTP_HIDE_EXTENSIONS: 'SIZE,auth' })
  expect(healthy).toBe(true)
  expect(of('settings').says).toMatch(/, SMTP without SIZE, AUTH$/)
  for (const check of ['sync', 'disk', 'database', 'locks', 'bucket']) expect(of(check).state).toBe('skip')
  expect(readdirSync(folder)).toEqual([])
})

test('settings that are not valid are a failure that names them, and nothing else is examined', async () => {
  const { code, findings } = await examine({ DATA_DIR: temporaryFolder(), PORT: 'x', EMAIL_DOMAIN: 'a.example.com' })
  expect(code).toBe(1)
  expect(findings).toEqual([
    {
      check: 'settings',
      state: 'fail',
      says: expect.stringMatching(/PORT="x": must be .*EMAIL_DOMAIN=/),
      advice: expect.stringContaining('--deep worker'),
    },
  ])
})

test('a slow disk is a warning with the rate of mail that it allows', async () => {
  const folder = temporaryFolder()
  const late = (step: string) => (step.startsWith('sync') ? { kind: 'late', when: 'late' as const, lateMs: 60 } : null)
  const serve = installation({ DATA_DIR: folder })
  const slow = await checkSyncSpeed(serve, faultyFiles(late))
  expect(slow).toMatchObject({ state: 'warn', advice: expect.stringContaining('waits for the disk') })
  expect(slow.figures!['medianMs']).toBeGreaterThanOrEqual(60)
  expect(slow.figures!['mailsPerSecond']).toBeLessThan(17)
  // Bounded in time, not only by the number of writes.
  expect(slow.figures!['writes']).toBeLessThan(60)
  expect(readdirSync(folder)).toEqual([])
  expect((await checkSyncSpeed(serve)).says).toContain('mails a second on one connection')
})

test('a folder of one file per mail needs four syncs each, so it allows a fourth of the rate', async () => {
  const folder = temporaryFolder()
  const late = (step: string) => (step.startsWith('sync') ? { kind: 'late', when: 'late' as const, lateMs: 30 } : null)
  const worker = installation({ INBOX_STORAGE: `file:${folder}` }, { program: 'worker' })
  const { state, figures } = await checkSyncSpeed(worker, faultyFiles(late))
  expect([state, figures!['mailsPerSecond']! <= 8]).toEqual(['warn', true])
})

test('a failed sync fails the check, and its file is removed', async () => {
  const folder = temporaryFolder()
  const broken = (step: string) => (step.startsWith('sync') ? { kind: 'EIO', when: 'before' as const } : null)
  const finding = await within(10_000, () => checkSyncSpeed(installation({ DATA_DIR: folder }), faultyFiles(broken)))
  expect(finding).toMatchObject({ state: 'fail', says: expect.stringContaining('EIO') })
  expect(readdirSync(folder)).toEqual([])
})

test('a disk in memory, without inodes or without room is reported', async () => {
  const { folder } = mountSmallDisk(64 * MIB)
  execFileSync('mount', ['-o', 'remount,nr_inodes=60', folder])
  const serve = installation({ DATA_DIR: folder, DISK_FREE_MIN: String(40 * MIB) })
  expect(await checkSyncSpeed(serve)).toMatchObject({ state: 'warn', says: expect.stringContaining('in memory') })
  expect(await checkDisk(serve)).toMatchObject({
    state: 'warn',
    says: expect.stringMatching(/mail is refused with 452.*room for only \d+ files/),
    figures: { freeBytesMin: 40 * MIB, freeInodes: expect.any(Number) },
  })
  const full = installation({ DATA_DIR: folder, DISK_FREE_MIN: String(65 * MIB) })
  expect(await checkDisk(full)).toMatchObject({ state: 'fail', says: expect.stringContaining('DISK_FREE_MIN') })
})

test('databases without room for a start on a full disk are a warning', async () => {
  const folder = temporaryFolder()
  const serve = installation({ DATA_DIR: folder, DISK_FREE_MIN: '0' })
  expect((await checkDisk(serve)).state).toBe('ok')
  writeFileSync(join(folder, 'mailhatch.db'), '')
  expect(await checkDisk(serve)).toMatchObject({ state: 'warn', says: expect.stringContaining('no room reserved') })
  writeFileSync(join(folder, 'spare-room'), '')
  expect((await checkDisk(serve)).state).toBe('ok')
})

test('too few open files are a warning, also of the shell that starts the command', async () => {
  const line = `ulimit -n 200; exec "$0" "$1" doctor --deep worker --json`
  const printed = execFileSync('sh', ['-c', line, process.execPath, MAILHATCH], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DATA_DIR: temporaryFolder(), DISK_FREE_MIN: '0' },
  })
  const { findings } = JSON.parse(printed) as Awaited<ReturnType<typeof examine>>
  expect(findings.find(({ check }) => check === 'files')).toMatchObject({
    state: 'warn',
    advice: expect.stringContaining('LimitNOFILE='),
    figures: { filesMax: 200, filesNeeded: 4_300 },
  })
  const enough = { pid: '1', filesMax: 65_536, filesOpen: 50, memoryBytesMax: 2e9 }
  const serve = installation({ DATA_DIR: temporaryFolder() })
  expect(await checkFiles(serve, enough)).toMatchObject({ state: 'ok', says: expect.stringContaining('50 open') })
  expect(await checkMemory(serve, enough)).toMatchObject({ state: 'ok' })
  expect(await checkMemory(serve, { ...enough, memoryBytesMax: 256 * MIB })).toMatchObject({
    state: 'warn',
    advice: expect.stringContaining('MemoryMax='),
  })
})

test('the limit of open files is read as Linux writes it', () => {
  const row = (soft: string) => `Max open files            ${soft}                 1048576              files     \n`
  expect([row('1024'), row('unlimited'), ''].map(filesMaxIn)).toEqual([1024, Infinity, null])
})

/** An API whose clock is wrong. */
async function startApiWithClock(offsetMs: number): Promise<string> {
  const server = createServer((_, response) => {
    response.sendDate = false
    response.setHeader('date', new Date(Date.now() + offsetMs).toUTCString()).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  [60_000, 'ahead of'],
  [-60_000, 'behind'],
])('an API whose clock is off by %i ms is a warning', async (offsetMs, words) => {
  const apiUrl = await startApiWithClock(offsetMs)
  const finding = await checkClock(installation({}, { apiUrl }))
  expect(finding).toMatchObject({ state: 'warn', says: expect.stringContaining(words) })
  expect(Math.abs(finding.figures!['apiAheadMs']! - offsetMs)).toBeLessThan(5_000)
})

test('a worker compares its clock with the API that it announces to', async () => {
  const WEBHOOK_URL = `${await startApiWithClock(120_000)}/webhooks/inbox`
  const worker = installation({ WEBHOOK_URL, WEBHOOK_AUTH_TOKEN: 'secret-of-the-tests' }, { program: 'worker' })
  expect(await checkClock(worker)).toMatchObject({ state: 'warn', says: expect.stringContaining('ahead of') })
})

test('the password in the address of an API is not printed', async () => {
  const { host } = new URL(await startApiWithClock(0))
  const settings = {
    WEBHOOK_URL: `http://ada:pass-of-ada@${host}/webhooks/inbox`,
    WEBHOOK_AUTH_TOKEN: 'secret-of-tests',
  }
  const { of, findings } = await examine({ DATA_DIR: temporaryFolder(), ...settings }, 'worker')
  expect(of('clock')).toMatchObject({ state: 'ok', says: expect.stringContaining(host) })
  expect(JSON.stringify(findings)).not.toMatch(/pass-of-ada|secret-of-tests/)
})

test('a name server that never answers is reported within its timeout', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const names = createNameService([`127.0.0.1:${silent.address().port}`])
  const serve = installation({ INBOX_ROOT_DOMAIN: 'in.mail-of-tests.com', EMAIL_DOMAIN: 'in.mail-of-tests.com' })
  const finding = await within(30_000, () => checkNames(serve, names))
  expect(finding).toMatchObject({
    state: 'fail',
    says: expect.stringContaining('the MX records of in.mail-of-tests.com: no answer'),
    advice: expect.stringContaining('resolv.conf'),
  })
})

test('domains without MX, hosts that do not exist, and lookups that never end are reported', async () => {
  const absent = () => Promise.reject(Object.assign(new Error('queryMx'), { code: 'ENOTFOUND' }))
  const answered = async () => [{ address: '192.0.2.1' }]
  const names: NameService = { resolveMx: absent, lookup: answered }
  const serve = installation({
    INBOX_ROOT_DOMAIN: 'mail-of-tests.com',
    MAILHATCH_DATABASE_URL: 'postgres://db-of-tests.com/mailhatch',
  })
  expect(await checkNames(serve, names)).toMatchObject({
    state: 'warn',
    says: expect.stringMatching(/mail-of-tests.com has no MX record;.*db-of-tests.com \(DATABASE_URL\) is 192.0.2.1/),
  })
  expect(await checkNames(serve, { ...names, lookup: absent })).toMatchObject({
    state: 'fail',
    says: expect.stringContaining('db-of-tests.com (DATABASE_URL) does not exist'),
  })
  const never = await checkNames(serve, { ...names, lookup: () => new Promise(() => {}) })
  expect(never).toMatchObject({ state: 'fail', says: expect.stringContaining('(DATABASE_URL): no answer') })
  const mx = { ...names, resolveMx: async () => [{ exchange: 'mx.mail-of-tests.com' }] }
  expect((await checkNames(serve, mx)).says).toContain('mail for mail-of-tests.com goes to mx.mail-of-tests.com')
})

test('a check that never ends is a failure at its limit, and its signal fires', async () => {
  let isOver = false
  const finding = await within(20, (signal) => {
    signal.addEventListener('abort', () => (isOver = true))
    return new Promise(() => {})
  })
  expect([finding, isOver]).toEqual([
    { state: 'fail', says: 'no result within 0.02 s', advice: expect.any(String) },
    true,
  ])
})

test('files of a server that was killed are left as they are for the next start', async () => {
  const { dataDir, sendMail } = await startServer()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'In the log', text: 'Hello' })
  const folder = join(temporaryFolder(), 'copy')
  mkdirSync(folder)
  cpSync(dataDir, folder, { recursive: true })
  const sizes = () => ['mailhatch.db-wal', 'inbox.db-wal'].map((name) => statSync(join(folder, name)).size)
  const before = sizes()
  expect(Math.min(...before)).toBeGreaterThan(0)
  const { healthy, of } = await examine({ DATA_DIR: folder, DISK_FREE_MIN: '0' })
  expect(healthy).toBe(true)
  expect([of('locks').state, of('bucket').state]).toEqual(['skip', 'skip'])
  expect(sizes()).toEqual(before)
  expect(existsSync(join(folder, 'mailhatch.db'))).toBe(true)
})
