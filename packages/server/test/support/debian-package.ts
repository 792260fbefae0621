import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** On a fresh machine: the packages that other tests install meanwhile, a package list, then the requested package. Chromium is the largest with about 95 MB. */
const INSTALL_MS_MAX = 540_000

const run = promisify(execFile)

/** The path of a program. Installs Debian's package if it is missing. */
export async function findProgram(paths: string[], packageName: string): Promise<string> {
  const present = paths.find(existsSync)
  if (present !== undefined) return present
  await installPackage(packageName)
  return paths.find(existsSync) ?? paths[0]!
}

/**
 * One at a time, also with other processes of the tests: apt fails while another one updates the list of packages. Removes no
 * other package.
 */
export async function installPackage(name: string): Promise<void> {
  const apt = 'apt-get -o DPkg::Lock::Timeout=240'
  const install = `${apt} update && ${apt} install -y --no-remove --no-install-recommends "$0"`
  await run('flock', [join(tmpdir(), 'mailhatch-tests-apt.lock'), 'sh', '-c', install, name], {
    timeout: INSTALL_MS_MAX,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}
