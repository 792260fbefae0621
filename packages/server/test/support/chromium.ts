import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** On a fresh machine: a list of packages, then some 110 MB. */
const INSTALL_MS_MAX = 300_000

const run = promisify(execFile)

let found: Promise<string> | null = null

/** Where Chromium is; CHROMIUM_PATH wins. Debian's package is installed where there is none. */
export function findChromium(): Promise<string> {
  found ??= find()
  return found
}

async function find(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given !== undefined) return given
  const present = PATHS.find(existsSync)
  if (present !== undefined) return present
  await install().catch((error: unknown) => {
    throw new Error('Chromium is missing. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.', {
      cause: error,
    })
  })
  return PATHS.find(existsSync) ?? PATHS[0]!
}

/** One at a time: a second run waits for the lock that the first one holds. */
async function install(): Promise<void> {
  const options = { timeout: INSTALL_MS_MAX, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  const patient = ['-o', 'DPkg::Lock::Timeout=240']
  await run('apt-get', [...patient, 'update'], options)
  await run('apt-get', [...patient, 'install', '-y', '--no-install-recommends', 'chromium'], options)
}
