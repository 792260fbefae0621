// A Node for machines whose own is too old for Mailhatch. Runs on any Node that understands modules.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

// The first version with Argon2, for password hashes, that also lets a server choose which requests to upgrade.
const NODE_MIN = [24, 9]
// The version that a checkout installs too.
const VERSION = '24.21.0'
const PACKAGE = `node-${process.platform}-${process.arch}`
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'mailhatch')
const CACHED = join(CACHE, `node-${VERSION}-${process.arch}`)

/** Whether Mailhatch runs on this version. */
export function isRecent(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
}

/** The path of a recent Node. Installs one on the first call. If that is impossible, exits with the command that helps. */
export async function newerNode() {
  const found = installedNode() ?? (existsSync(CACHED) ? CACHED : null)
  if (found !== null) return found
  if (!isSupported()) return giveUp('')
  try {
    console.error(`${NEEDED} Installing ${PACKAGE}@${VERSION} in ${CACHE}, once.`)
    await installNode()
    return CACHED
  } catch (error) {
    return giveUp(` Installing ${PACKAGE} failed: ${error.message}.`)
  }
}

const NEEDED = `Mailhatch needs Node ${NODE_MIN.join('.')} or newer; this is Node ${process.versions.node}.`

/** The package of a checkout, or one that the user has installed. It may be as old as the Node that runs this. */
function installedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
    return isRecent(version) ? join(dirname(manifest), 'bin', 'node') : null
  } catch {
    return null
  }
}

/** The package exists for other systems too, but only these are tested. It needs glibc, which Alpine does not have. */
function isSupported() {
  const isKnown = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
  return isKnown && process.report.getReport().header.glibcVersionRuntime !== undefined
}

/**
 * Not as a dependency of this package: npm would link its `node` into node_modules/.bin, and the scripts of the project
 * that uses Mailhatch would run on another Node than before.
 */
async function installNode() {
  mkdirSync(CACHE, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(CACHE, 'install-'))
  try {
    const options = [
      '--prefix',
      folder,
      '--global=false',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--loglevel=error',
    ]
    await run('npm', ['install', ...options, `${PACKAGE}@${VERSION}`])
    // Atomic, because another start may do the same.
    renameSync(join(folder, 'node_modules', PACKAGE, 'bin', 'node'), CACHED)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(command, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} exited with ${code}`))))
  })
}

function giveUp(reason) {
  const words = process.argv.slice(2).map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
  console.error(`${NEEDED}${reason} Run: ${['npx -y -p node@24 -p mailhatch mailhatch', ...words].join(' ')}`)
  process.exit(1)
}
