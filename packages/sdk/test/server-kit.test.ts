import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { Mailhatch } from '../src/client.ts'
import { startMailhatch } from '../src/server.ts'

/** As npm would start an example: beside the source, not beside a build. */
const NODE_ARGUMENTS = ['--conditions=mailhatch-source', join(import.meta.dirname, 'kits/start-and-stay.ts')]

afterEach(() => void vi.unstubAllEnvs())

const isAway = async (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  )

/** Where the started program keeps what it compiled: filled already, which makes it start sooner. */
const settings = { TMPDIR: tmpdir(), DISK_FREE_MIN: '0' }

/** For what is put into the folder for temporary files by this process. */
function useTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-kit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  vi.stubEnv('TMPDIR', folder)
  return folder
}

test('Mailhatch is started, captures mail, and leaves nothing behind', async () => {
  const folder = useTemporaryFolder()
  // Those of an app under test, which must not be taken for settings.
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
  // Not by force, which takes half a minute.
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(await isAway(url)).toBe(true)
  expect(readdirSync(folder)).toEqual([])
})

test('a folder that was given is kept, with what is in it', async () => {
  const folder = useTemporaryFolder()
  const kept = { ...settings, DATA_DIR: join(folder, 'data') }
  const first = await startMailhatch({ settings: kept })
  await first.close()
  const second = await startMailhatch({ settings: kept })
  onTestFinished(() => second.close())
  expect(second.apiKey).toBe(first.apiKey)
  expect(existsSync(join(folder, 'data'))).toBe(true)
})

test('what keeps Mailhatch from starting is said, and nothing is left', async () => {
  const folder = useTemporaryFolder()
  await expect(startMailhatch({ settings: { ...settings, SMTP_PORT: 'twenty-five' } })).rejects.toThrow(
    /^Mailhatch did not start\. [^]*SMTP_PORT/,
  )
  expect(readdirSync(folder)).toEqual([])
})

test('Mailhatch ends with whoever started it, even if that is killed', async () => {
  const child = spawn(process.execPath, NODE_ARGUMENTS, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let url = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    url += chunk
    if (url.endsWith('\n')) break
  }
  expect(await isAway(url.trim())).toBe(false)
  child.kill('SIGKILL')
  await vi.waitUntil(() => isAway(url.trim()), { timeout: 30_000, interval: 100 })
})
