import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

/** On a fresh machine: a package list, then the requested package. Chromium is the largest with about 95 MB. */
const INSTALL_MS_MAX = 300_000

const run = promisify(execFile)

/** The path of a program. Installs Debian's package if it is missing. */
export async function findProgram(paths: string[], packageName: string): Promise<string> {
  const present = paths.find(existsSync)
  if (present !== undefined) return present
  await installPackage(packageName)
  return paths.find(existsSync) ?? paths[0]!
}

/** One at a time: a second run would wait for the lock of the first. */
export async function installPackage(name: string): Promise<void> {
  const options = { timeout: INSTALL_MS_MAX, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  const patient = ['-o', 'DPkg::Lock::Timeout=240']
  await run('apt-get', [...patient, 'update'], options)
  await run('apt-get', [...patient, 'install', '-y', '--no-install-recommends', name], options)
}
