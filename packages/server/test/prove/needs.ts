import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What a part needs besides Node, and how to tell that it is there. */
const NEEDS = {
  Linux: () => process.platform === 'linux',
  root: () => process.getuid?.() === 0,
  'loop devices': () => existsSync('/dev/loop-control'),
  'mkfs.ext4': () => isInstalled('mkfs.ext4'),
  // Installed if it is missing, which only root can do.
  Chromium: () => process.getuid?.() === 0 || isInstalled('chromium') || 'CHROMIUM_PATH' in process.env,
  'unshare and ip': () => isInstalled('unshare') && isInstalled('ip'),
}

export type Need = keyof typeof NEEDS

export function missing(needs: Need[]): Need[] {
  return needs.filter((need) => !NEEDS[need]())
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
