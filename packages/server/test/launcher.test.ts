import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { node20 } from '../../sdk/test/support/node-20.ts'
import { TestClient } from '../src/worker/smtp/test-kit.ts'
import { temporaryFolder } from './support/server.ts'

/** Two Node processes start, the second from source. */
const START = { timeout: 60_000 }

const PROGRAM = fileURLToPath(new URL('../bin/mailhatch.js', import.meta.url))

/** On a Node that is too old, which starts the program with the Node of the checkout. */
async function launch(...words: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', DISK_FREE_MIN: '0' }
  const child = spawn(await node20(), [PROGRAM, ...words], {
    env: { ...env, DATA_DIR: temporaryFolder(), LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen = { output: '', log: '' }
  child.stdout.on('data', (text: Buffer) => (seen.output += text.toString()))
  child.stderr.on('data', (text: Buffer) => (seen.log += text.toString()))
  const gone = once(child, 'exit') as Promise<[number | null, string | null]>
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, seen, gone }
}

async function launchServer() {
  const { child, seen, gone } = await launch('serve')
  await vi.waitFor(() => expect(seen.output).toContain('Mailhatch is ready.'), START)
  const [pid] = childrenOf(child.pid!)
  onTestFinished(() => {
    if (isAlive(pid!)) process.kill(pid!, 'SIGKILL')
  })
  return { child, seen, gone, pid: pid!, smtpPort: Number(/SMTP +\S+:(\d+)/.exec(seen.output)![1]) }
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.trim().split(' ').map(Number)
}

function isAlive(pid: number): boolean {
  try {
    // A process that has ended and was not reaped is a zombie.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

test('a program whose launcher is killed stops as on SIGTERM', async () => {
  const { child, seen, pid, smtpPort } = await launchServer()
  const client = await TestClient.connect(smtpPort)
  expect(isAlive(pid)).toBe(true)
  child.kill('SIGKILL')
  expect(await client.reply()).toMatch(/^421 4\.3\.2 /)
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false))
  expect(seen.log).toContain('stopping')
})

test('a launcher forwards signals, and exits like the program', async () => {
  const { child, gone, pid } = await launchServer()
  child.kill('SIGTERM')
  expect(await gone).toEqual([0, null])
  expect(isAlive(pid)).toBe(false)
})

test('a command exits by itself', async () => {
  const { gone, seen } = await launch('--version')
  expect(await gone).toEqual([0, null])
  expect(seen.output).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('a program without a launcher continues when its parent process has ended', async () => {
  const starter = `const { spawn } = require('node:child_process')
    const child = spawn(process.argv[1], [process.argv[2], 'serve'], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.once('data', (text) => console.log(child.pid, String(text).replaceAll('\\n', ' ')))`
  const env = { PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', DISK_FREE_MIN: '0', DATA_DIR: temporaryFolder() }
  const parent = spawn(process.execPath, ['-e', starter, process.execPath, PROGRAM], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number.parseInt(printed.toString())
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  const gone = once(parent, 'exit')
  parent.kill('SIGKILL')
  await gone
  const client = await TestClient.connect(Number(/SMTP +\S+:(\d+)/.exec(printed.toString())![1]))
  expect(await client.say('NOOP')).toMatch(/^250 /)
})
