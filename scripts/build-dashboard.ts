// Builds the dashboard if it is missing or older than its source. The server also runs this when started in a clone.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../packages/dashboard', import.meta.url))
const packages = fileURLToPath(new URL('../packages', import.meta.url))
export const DASHBOARD = join(root, 'dist')

const cache = fileURLToPath(new URL('../node_modules/.cache/dashboard', import.meta.url))
/** Held during a build, because tests start many programs in parallel. */
const LOCK = join(cache, 'lock')
/** A build takes seconds; an older lock was left behind by a crashed process. */
const LOCK_MS_MAX = 60_000
const LOCK_POLL_MS = 100

/** The sources of the dashboard. From the server it imports only types, from the documentation one page. */
const SOURCES = [
  join(root, 'src'),
  join(root, 'index.html'),
  join(root, 'package.json'),
  join(packages, 'sdk/src'),
  join(packages, '../docs/guide/frameworks.md'),
  import.meta.filename,
]

if (import.meta.main) await buildDashboard()

export async function buildDashboard(): Promise<void> {
  while (!takeLock()) await pause(LOCK_POLL_MS)
  try {
    if (!isFresh()) await build()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

export function isFresh(): boolean {
  const page = join(DASHBOARD, 'index.html')
  return existsSync(page) && statSync(page).mtimeMs > Math.max(...SOURCES.map(newestChange))
}

function takeLock(): boolean {
  mkdirSync(cache, { recursive: true })
  const takenAt = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
  if (Date.now() - takenAt > LOCK_MS_MAX) rmSync(LOCK, { force: true })
  try {
    closeSync(openSync(LOCK, 'wx'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function build(): Promise<void> {
  const beganAt = new Date()
  const output = join(cache, 'output')
  try {
    await runVite(output)
    compress(join(output, 'assets'))
    // Dated to the start of the build, so that files changed meanwhile cause another one.
    utimesSync(join(output, 'index.html'), beganAt, beganAt)
    // The server keeps serving the old build until here.
    rmSync(DASHBOARD, { recursive: true, force: true })
    renameSync(output, DASHBOARD)
  } finally {
    rmSync(output, { recursive: true, force: true })
  }
  console.log(`Built the dashboard in ${((Date.now() - beganAt.getTime()) / 1000).toFixed(1)} s.`)
}

function newestChange(path: string): number {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (!entry?.isDirectory()) return entry?.mtimeMs ?? 0
  return Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))))
}

/** Imports Vite on demand, because most starts find a fresh build. */
async function runVite(outDir: string): Promise<void> {
  // React reads it, and the calling process may have a different value.
  process.env['NODE_ENV'] = 'production'
  const [vite, { default: react }, { default: tailwind }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('@tailwindcss/vite'),
  ])
  await vite.build({
    configFile: false,
    root,
    // Relative URLs: the server inserts the base path into the page.
    base: './',
    logLevel: 'warn',
    plugins: [react(), tailwind()],
    resolve: { conditions: ['mailhatch-source', 'module', 'browser'] },
    html: { cspNonce: 'MAILHATCH_NONCE' },
    define: { MAILHATCH_VERSION: JSON.stringify(readVersion()) },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'baseline-widely-available',
      // Inlined files would need a weaker content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      license: { fileName: 'licenses.md' },
    },
  })
}

function readVersion(): string {
  // Our own package.json.
  const { version } = JSON.parse(readFileSync(join(packages, 'server/package.json'), 'utf8')) as { version: string }
  return version
}

function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
  }
}
