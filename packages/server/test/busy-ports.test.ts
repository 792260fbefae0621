import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { run, runServe, sentenceOf } from './support/program.ts'
import { serveIn, temporaryFolder } from './support/server.ts'

const VARIABLES = ['PORT', 'WORKER_PORT', 'SMTP_PORT']

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  // A TCP server has an AddressInfo.
  return (server.address() as AddressInfo).port
}

/** What a start on free ports shows only once: the key and a sign-in link. */
async function nextStart(dataDir: string) {
  const { firstStart, close } = await serveIn(dataDir, {})
  await close()
  return firstStart
}

/** Another program, which listens on a port. */
async function startOther(folder: string) {
  const script = join(folder, 'shop.js')
  const listen = `const server = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port))`
  writeFileSync(script, listen)
  const child = spawn(process.execPath, [script, '--password=hidden'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  return { port: Number(printed.toString()), pid: child.pid! }
}

test.each([['SMTP_PORT'], VARIABLES])(
  'a start that fails because %s is in use creates nothing, and the next one is the first',
  async (...variables) => {
    const dataDir = join(temporaryFolder(), 'data')
    const ports = await Promise.all(variables.map(takenPort))
    const busy = Object.fromEntries(variables.map((variable, index) => [variable, String(ports[index])]))
    const sentence = sentenceOf(await runServe({ DATA_DIR: dataDir, ...busy }))
    for (const [variable, port] of Object.entries(busy))
      expect(sentence).toContain(`Port ${port} (${variable}) is in use`)
    expect(existsSync(dataDir)).toBe(false)
    expect(await nextStart(dataDir)).not.toBeNull()
    expect(await nextStart(dataDir)).toBeNull()
  },
)

test('a start that fails because of its certificate does not use up the welcome', async () => {
  const folder = temporaryFolder()
  const dataDir = join(folder, 'data')
  const pem = join(folder, 'pem')
  writeFileSync(pem, 'not a certificate')
  const { code, stderr } = await runServe({ DATA_DIR: dataDir, SMTP_TLS_CERT: pem, SMTP_TLS_KEY: pem })
  expect([code, stderr]).toEqual([78, expect.stringContaining('SMTP_TLS_CERT and SMTP_TLS_KEY')])
  expect(readdirSync(dataDir)).not.toContain('api-key')
  expect(await nextStart(dataDir)).not.toBeNull()
})

test('the error names the program that holds the port, without its arguments, and a free port', async () => {
  const folder = temporaryFolder()
  const { port, pid } = await startOther(folder)
  const dataDir = temporaryFolder()
  const sentence = sentenceOf(await runServe({ DATA_DIR: dataDir, MAILHATCH_PORT: String(port) }))
  expect(sentence).toContain(`Port ${port} (MAILHATCH_PORT) is in use by node shop.js (process ${pid}, in ${folder})`)
  expect(sentence).not.toContain('hidden')
  const [, free] = /choose another port: MAILHATCH_PORT=(\d+) is free/.exec(sentence) ?? []
  expect(Number(free)).toBeGreaterThan(port)
  // As the person gave it: a flag.
  const others = ['--smtp-port', '0', '--data-dir', dataDir]
  const flagged = sentenceOf(await run(['--port', String(port), ...others], { WORKER_PORT: '0' }))
  expect(flagged).toMatch(new RegExp(String.raw`Port ${port} \(--port\) .*: --port \d+ is free`))
})

test.each([
  [{ HOST: '192.0.2.1' }, 'HOST=192.0.2.1 is not an address of this machine. '],
  [{ HOST: '127.0.0.1', SMTP_HOST: '192.0.2.1' }, 'SMTP_HOST=192.0.2.1 is not an address of this machine. '],
  [{ HOST: 'nowhere.invalid' }, 'HOST=nowhere.invalid cannot be resolved. '],
])('an address that cannot be used is named once: %j', async (environment, expected) => {
  const advice = 'Use 127.0.0.1, or 0.0.0.0 for all addresses.'
  await expect(serveIn(temporaryFolder(), environment)).rejects.toMatchObject({ message: `${expected}${advice}` })
})

test('two settings with the same port are an error of the settings', () => {
  const same = { PORT: '4321', MAILHATCH_SMTP_PORT: '4321' }
  expect(() => readConfig('serve', same)).toThrow('SMTP_PORT=4321: must differ from PORT')
  expect(readConfig('serve', { PORT: '0', SMTP_PORT: '0' }).port).toBe(0)
  expect(readConfig('api', same).port).toBe(4321)
})
