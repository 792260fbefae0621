import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { R2Bucket } from '@cloudflare/workers-types'
import { createTestHarness } from 'wrangler'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { openR2Bucket } from '../../src/bucket/r2-bucket.ts'
import type { OutgoingMail } from './smtp-client.ts'

const SERVER = fileURLToPath(new URL('../..', import.meta.url))
const WRANGLER = join(dirname(fileURLToPath(import.meta.resolve('wrangler/package.json'))), 'bin/wrangler.js')
/** A build takes two seconds. */
const BUILD_MS_MAX = 200_000
const SENDER = 'app@shop.example'

export type WorkerdSettings = { vars?: Record<string, string>; secrets?: Record<string, string> }

/** The worker as a deployment would upload it, built once for all tests. Resolves to its folder. */
export async function buildWorker(): Promise<{ folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-bundle-'))
  const child = spawn(process.execPath, [WRANGLER, 'deploy', '--dry-run', '--outdir', folder], {
    cwd: SERVER,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, CI: '1', WRANGLER_SEND_METRICS: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_MS_MAX,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`The worker cannot be built: ${output}`)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The built worker in workerd, with its own bucket, which survives a change of settings. */
export async function startWorkerd(bundle: string, settings: WorkerdSettings = {}) {
  // Wrangler warns about mail whose headers do not name its recipient, which is most of ours.
  process.env['WRANGLER_LOG'] = 'none'
  process.env['WRANGLER_SEND_METRICS'] = 'false'
  // Otherwise it would ask Cloudflare for the location of this machine.
  process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'
  const optionsFor = ({ vars = {}, secrets = {} }: WorkerdSettings) => ({
    root: SERVER,
    workers: [{ configPath: './wrangler.jsonc', prebuiltWorkerDir: bundle, vars, secrets }],
  })
  const harness = createTestHarness(optionsFor(settings))
  const { url } = await harness.listen()

  /** A change of settings invalidates earlier bindings, so the binding is requested for every use. */
  async function binding(): Promise<R2Bucket> {
    const { INBOX_STORAGE } = await harness.getWorker<{ INBOX_STORAGE: R2Bucket }>().getEnv()
    return INBOX_STORAGE
  }

  /** What the worker did, as reported by the local email trigger. */
  function email({ to, raw }: OutgoingMail) {
    return harness.getWorker().email({ from: SENDER, to, raw: streamOf(raw) })
  }

  const bucket: Pick<Bucket, 'get' | 'list' | 'put'> = {
    put: async (objects) => openR2Bucket(await binding()).put(objects),
    get: async (key) => openR2Bucket(await binding()).get(key),
    list: async (page) => openR2Bucket(await binding()).list(page),
  }

  return {
    url,
    binding,
    bucket,
    fetch: (path: string, init: RequestInit = {}) => fetch(new URL(path, url), init),
    email,
    /** Resolves only if the worker accepted the mail. */
    async deliver(mail: OutgoingMail): Promise<void> {
      const { outcome, rejectReason } = await email(mail)
      if (outcome !== 'ok' || rejectReason !== undefined) throw new Error(`Not taken: ${outcome} ${rejectReason}`)
    },
    /** Runs the cron trigger now. */
    async sweep(): Promise<void> {
      const { outcome } = await harness.getWorker().scheduled({ cron: '* * * * *', scheduledTime: new Date() })
      if (outcome !== 'ok') throw new Error(`The sweep failed: ${outcome}`)
    },
    configure: (changed: WorkerdSettings) => harness.update(optionsFor(changed)),
    logs: () => harness.getLogs().map(({ message }) => message),
    close: () => harness.close(),
  }
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  // A copy, because a view of a shared buffer is not a valid body.
  return new Response(new Uint8Array(bytes)).body!
}
