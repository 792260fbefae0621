import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { Mailhatch } from '../src/client.ts'
import { startMailhatch } from '../src/server.ts'

/** Runs the source, not a build. */
const NODE_ARGUMENTS = ['--conditions=mailhatch-source', join(import.meta.dirname, 'kits/start-and-stay.ts')]

afterEach(() => void vi.unstubAllEnvs())

const isDown = async (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  )

/** Keeps the shared compile cache, which speeds up the start. */
const settings = { TMPDIR: tmpdir(), DISK_FREE_MIN: '0' }

/** A folder for the temporary files of this process. */
function useTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-kit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  vi.stubEnv('TMPDIR', folder)
  return folder
}

test('startMailhatch captures mail and leaves nothing behind', async () => {
  const folder = useTemporaryFolder()
  // Variables of the app under test must not be used as settings.
  vi.stubEnv('PORT', '1')
  vi.stubEnv('DATABASE_URL', 'postgres://nobody@127.0.0.1:1/shop')
  const { url, apiKey, smtpPort, close } = await startMailhatch({ settings })
  onTestFinished(close)
  const inbox = await new Mailhatch({ url, apiKey }).addresses.create()
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  await transport.sendMail({ from: 'app@shop.example', to: inbox.address, subject: 'Hello' })
  expect((await inbox.waitFor()).subject).toBe('Hello')
  expect(readdirSync(folder)).toHaveLength(1)
  const began = performance.now()
  await Promise.all([close(), close()])
  // SIGKILL would follow only after half a minute.
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(await isDown(url)).toBe(true)
  expect(readdirSync(folder)).toEqual([])
})

test('a given DATA_DIR is kept', async () => {
  const folder = useTemporaryFolder()
  const kept = { ...settings, DATA_DIR: join(folder, 'data') }
  const first = await startMailhatch({ settings: kept })
  await first.close()
  const second = await startMailhatch({ settings: { ...settings, MAILHATCH_DATA_DIR: kept.DATA_DIR } })
  onTestFinished(() => second.close())
  expect(second.apiKey).toBe(first.apiKey)
  expect(existsSync(join(folder, 'data'))).toBe(true)
})

test('settings are for Mailhatch, even those whose names apps use too', async () => {
  useTemporaryFolder()
  const mysql = { ...settings, DATABASE_URL: 'mysql://app@localhost/app' }
  await expect(startMailhatch({ settings: mysql })).rejects.toThrow(
    /MAILHATCH_DATABASE_URL=\(hidden\): must be postgres/,
  )
})

test('a failed start reports the reason and leaves nothing behind', async () => {
  const folder = useTemporaryFolder()
  await expect(startMailhatch({ settings: { ...settings, SMTP_PORT: 'twenty-five' } })).rejects.toThrow(
    /^Mailhatch did not start\. [^]*SMTP_PORT/,
  )
  expect(readdirSync(folder)).toEqual([])
})

test('Mailhatch stops with its parent process, even if that is killed', async () => {
  const child = spawn(process.execPath, NODE_ARGUMENTS, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let url = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    url += chunk
    if (url.endsWith('\n')) break
  }
  expect(await isDown(url.trim())).toBe(false)
  child.kill('SIGKILL')
  await vi.waitUntil(() => isDown(url.trim()), { interval: 100 })
})
