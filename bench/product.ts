import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Me } from '@mailhatch/sdk'
import { startProgram } from './programs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export const API_KEY = 'key-of-the-benchmark-0123456789'
export const WEBHOOK_SECRET = 'secret-of-the-benchmark'
export const SOURCE_PROGRAM = fileURLToPath(new URL('../packages/server/bin/mailhatch.js', import.meta.url))
export const BUILT_PROGRAM = fileURLToPath(new URL('../packages/server/dist/cli.js', import.meta.url))

const SOURCE_FOLDERS = ['server', 'sdk'].map((name) =>
  fileURLToPath(new URL(`../packages/${name}/src`, import.meta.url)),
)

/** Mail that is not readable by then counts as lost. */
const READABLE_MS_MAX = 60_000
const POLL_MS = 10

/** When the source was last changed, as Unix time in milliseconds. */
export function sourceChangedAt(): number {
  const files = SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return Math.max(...files.map((file) => statSync(file).mtimeMs))
}

/** Builds `BUILT_PROGRAM`. */
export function build(): void {
  console.log('building')
  execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
}

export type Product = Awaited<ReturnType<typeof startProduct>>

type ProductOptions = { file?: string; environment?: Record<string, string> }

/** Starts Mailhatch as a user would, on free ports, by default with a new data folder inside `folder`. */
export async function startProduct(folder: string, { file = SOURCE_PROGRAM, environment = {} }: ProductOptions = {}) {
  const startedAt = performance.now()
  const program = startProgram({
    name: 'Mailhatch',
    command: process.execPath,
    args: [file, 'serve'],
    folder,
    environment: {
      DATA_DIR: environment['DATA_DIR'] ?? mkdtempSync(join(folder, 'mailhatch-')),
      PORT: '0',
      WORKER_PORT: '0',
      SMTP_PORT: '0',
      LOG_LEVEL: 'error',
      BOOTSTRAP_API_KEY: API_KEY,
      INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
      ...environment,
    },
  })
  const [, smtpPort, apiPort] = await program.output(/is ready[^]*SMTP\s+\S+:(\d+)[^]*API\s+http:\S+:(\d+)/)
  const url = `http://127.0.0.1:${apiPort}`
  await fetch(`${url}/health`)
  const startMs = performance.now() - startedAt

  async function me(): Promise<Me> {
    const response = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${API_KEY}` } })
    // The documented response of the API.
    const { data } = (await response.json()) as { data: Me }
    return data
  }

  const countMessages = async () => (await me()).messageCount

  return {
    pid: program.pid,
    url,
    startMs,
    smtpPort: Number(smtpPort),
    apiPort: Number(apiPort),
    countMessages,
    teamId: async () => (await me()).team.id,
    async untilReadable(count: number): Promise<void> {
      const deadline = performance.now() + READABLE_MS_MAX
      for (;;) {
        const found = await countMessages()
        if (found >= count) return
        if (performance.now() > deadline) throw new Error(`Only ${found} of ${count} messages became readable.`)
        await sleep(POLL_MS)
      }
    },
    stop: program.stop,
  }
}
