import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { IN_NAMESPACE } from '../support/network-namespace.ts'

/** What a part needs besides Node. Permissions are tried: root in a container may have none of them. */
const NEEDS = {
  Linux: () => process.platform === 'linux',
  'permission to mount': () => inTemporaryFolder(canMount),
  'a free loop device': () => inTemporaryFolder(hasLoopDevice),
  'mkfs.ext4': () => isInstalled('mkfs.ext4'),
  findmnt: () => isInstalled('findmnt'),
  // Installed if it is missing, which only root can do.
  Chromium: () => process.getuid?.() === 0 || isInstalled('chromium') || 'CHROMIUM_PATH' in process.env,
  'network namespaces with unshare and ip': () =>
    IN_NAMESPACE.some((command) => output(...command, 'ip', 'link', 'set', 'lo', 'up') !== null),
}

export type Need = keyof typeof NEEDS

const TRIED_BYTES = 1024 * 1024

export function missing(needs: Need[]): Need[] {
  return needs.filter((need) => !NEEDS[need]())
}

function canMount(folder: string): boolean {
  const mounted = output('mount', '-t', 'tmpfs', '-o', `size=${TRIED_BYTES}`, 'tmpfs', folder)
  return mounted !== null && output('umount', folder) !== null
}

function hasLoopDevice(folder: string): boolean {
  const image = join(folder, 'image')
  writeFileSync(image, '')
  truncateSync(image, TRIED_BYTES)
  const device = output('losetup', '--find', '--show', image)
  return device !== null && output('losetup', '--detach', device.trim()) !== null
}

function inTemporaryFolder(attempt: (folder: string) => boolean): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-needs-'))
  try {
    return attempt(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Null if the command is missing or fails. */
function output(command: string, ...given: string[]): string | null {
  try {
    return execFileSync(command, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return null
  }
}

function isInstalled(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => isExecutable(join(folder, program)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
