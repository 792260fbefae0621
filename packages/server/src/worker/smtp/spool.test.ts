import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DEFAULT_LIMITS } from './limits.ts'
import { prepareSpoolFolder, Spool } from './spool.ts'
import { startTestServer, TestClient } from './test-kit.ts'

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mailhatch-spool-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const MIB = 1024 * 1024

test('files left by a crash are deleted at the start, other files are not', async () => {
  const folder = await makeFolder()
  await writeFile(join(folder, 'left.spool'), 'x')
  await writeFile(join(folder, 'notes.txt'), 'x')
  await prepareSpoolFolder(folder)
  expect(await readdir(folder)).toEqual(['notes.txt'])
})

describe('limit: 1 MiB in memory', () => {
  test.each<[number, boolean]>([
    [MIB - 1, false],
    [MIB, false],
    [MIB + 1, true],
    [3 * MIB, true],
  ])('a mail of %i bytes', async (size, isFile) => {
    const received: { mode: number; size: number }[] = []
    const { server, spoolFolder } = await startTestServer({
      receive: async ({ content }) => {
        if (content instanceof Uint8Array) return []
        const { mode, size } = await stat(content.path)
        expect(size).toBe(content.size)
        received.push({ mode: mode & 0o777, size })
        return []
      },
    })
    const client = await TestClient.connectWithHello(server.port)
    const line = `${'a'.repeat(98)}\r\n`
    const text = line.repeat(Math.ceil(size / 100)).slice(0, size - 4)
    expect(await client.deliver(`${text.trimEnd().padEnd(size - 4, 'b')}\r\n`)).toMatch(/^250 /)
    expect(received).toEqual(isFile ? [{ mode: 0o600, size }] : [])
    expect(await readdir(spoolFolder)).toEqual([])
  })
})

test('the memory of all mail is counted, limited and released', async () => {
  const spoolFolder = await makeFolder()
  const memory = { usedBytes: 0 }
  const limits = { ...DEFAULT_LIMITS, memoryBytesMax: 100_000, memoryPerMailScarceBytesMax: 10_000 }
  const first = new Spool({ spoolFolder, limits, memory })
  await first.write(Buffer.alloc(60_000))
  await first.write(Buffer.alloc(60_000))
  expect(memory.usedBytes).toBeGreaterThanOrEqual(120_000)
  expect(await first.finish()).toBeInstanceOf(Uint8Array)

  const second = new Spool({ spoolFolder, limits, memory })
  await second.write(Buffer.alloc(10_000))
  expect(await readdir(spoolFolder)).toEqual([])
  await second.write(Buffer.alloc(1))
  expect(await readdir(spoolFolder)).toHaveLength(1)
  expect(await second.finish()).toMatchObject({ size: 10_001 })

  await Promise.all([first.remove(), second.remove()])
  expect(memory.usedBytes).toBe(0)
  expect(await readdir(spoolFolder)).toEqual([])
})

test('a mail in one piece is passed on without a copy', async () => {
  const spool = new Spool({ spoolFolder: '/nowhere', limits: DEFAULT_LIMITS, memory: { usedBytes: 0 } })
  const chunk = Buffer.from('text')
  expect(spool.write(chunk)).toBeNull()
  const content = await spool.finish()
  expect(content).toEqual(chunk)
  expect(content instanceof Uint8Array && content.buffer === chunk.buffer).toBe(true)
})

test('a client that disconnects in the middle of a large mail leaves no file', async () => {
  const { server, spoolFolder, mails } = await startTestServer()
  const client = await TestClient.connectWithHello(server.port)
  await client.begin()
  await client.say('DATA')
  client.send(`${'a'.repeat(998)}\r\n`.repeat(3_000))
  await expect.poll(() => readdir(spoolFolder)).toHaveLength(1)
  client.destroy()
  await expect.poll(() => readdir(spoolFolder)).toEqual([])
  expect(mails).toEqual([])
})

test('an oversized mail leaves no file, and neither does one that receive refuses', async () => {
  const { server, spoolFolder } = await startTestServer({
    sizeMaxBytes: 2 * MIB,
    receive: () => Promise.reject(new Error('broken')),
  })
  const client = await TestClient.connectWithHello(server.port)
  const kilobyte = `${'a'.repeat(1022)}\r\n`
  expect(await client.deliver(kilobyte.repeat(2_049))).toMatch(/^552 5\.3\.4 /)
  expect(await client.deliver(kilobyte.repeat(1_500))).toMatch(/^451 4\.3\.0 /)
  await expect.poll(() => readdir(spoolFolder)).toEqual([])
})

test('a spool folder that is not writable is a 451, and small mail is still accepted', async () => {
  const { server, spoolFolder, mails } = await startTestServer()
  const client = await TestClient.connectWithHello(server.port)
  await rm(spoolFolder, { recursive: true })
  expect(await client.deliver(`${'a'.repeat(998)}\r\n`.repeat(3_000))).toMatch(/^451 4\.3\.0 /)
  expect(await client.deliver('small')).toBe('250 2.0.0 Stored\r\n')
  expect(mails).toHaveLength(1)
})
