// Builds the dashboard where it is missing or older than its source; run by the first start in a clone as well.
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
/** Held while someone builds: tests start many programs at once. */
const LOCK = join(cache, 'lock')
/** A build takes some seconds; whoever held the lock for so long is gone. */
const LOCK_MS_MAX = 60_000
const LOOK_EVERY_MS = 100

/** What the dashboard is made of; the server's part of it is only types. */
const SOURCES = [
  join(root, 'src'),
  join(root, 'index.html'),
  join(root, 'package.json'),
  join(packages, 'sdk/src'),
  import.meta.filename,
]

if (import.meta.main) await buildDashboard()

export async function buildDashboard(): Promise<void> {
  while (!takeLock()) await pause(LOOK_EVERY_MS)
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
  const made = join(cache, 'made')
  try {
    await runVite(made)
    compress(join(made, 'assets'))
    // What was changed meanwhile may not be in it.
    utimesSync(join(made, 'index.html'), beganAt, beganAt)
    // Until here the old one was served, if there was one; now it is replaced whole.
    rmSync(DASHBOARD, { recursive: true, force: true })
    renameSync(made, DASHBOARD)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  console.log(`The dashboard was built in ${((Date.now() - beganAt.getTime()) / 1000).toFixed(1)} s.`)
}

function newestChange(path: string): number {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (!entry?.isDirectory()) return entry?.mtimeMs ?? 0
  return Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))))
}

/** Imported only here: most starts find a fresh build and need none of it. */
async function runVite(outDir: string): Promise<void> {
  // React looks at it, and whoever starts us may have another one.
  process.env['NODE_ENV'] = 'production'
  const [vite, { default: react }, { default: tailwind }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('@tailwindcss/vite'),
  ])
  await vite.build({
    configFile: false,
    root,
    // Chunks find each other by where they lie; the server writes into the page where that is.
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
      // A file within another would need a policy that allows it.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
}

function readVersion(): string {
  // Of our own package.
  const { version } = JSON.parse(readFileSync(join(packages, 'server/package.json'), 'utf8')) as { version: string }
  return version
}

function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
  }
}
