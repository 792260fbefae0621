import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileWatch } from './watched-files.ts'

/**
 * Knows which files would survive a power cut now: those whose content was synced before their last rename, and whose entry
 * was synced in its folder, as were the entries of all new folders above.
 */
export function modelPowerCuts(onDurable: (path: string) => void): FileWatch {
  const syncedContent = new Set<string>()
  const renamed = new Set<string>()
  // Names that a power cut may still take away.
  const loose = new Set<string>()

  function isReachable(path: string): boolean {
    return !loose.has(path) && (path === dirname(path) || isReachable(dirname(path)))
  }

  function report(): void {
    for (const path of renamed) {
      if (!syncedContent.has(path) || !isReachable(path)) continue
      renamed.delete(path)
      onDurable(path)
    }
  }

  return (step) => {
    const { path } = step
    if (step.name === 'make folder') {
      for (let folder = path; !existsSync(folder); folder = dirname(folder)) loose.add(folder)
    } else if (step.name === 'write') {
      syncedContent.delete(path)
    } else if (step.name === 'sync') {
      return () => void syncedContent.add(path)
    } else if (step.name === 'rename') {
      const { to } = step
      loose.add(to)
      return () => {
        if (syncedContent.delete(path)) syncedContent.add(to)
        renamed.add(to)
      }
    } else if (step.name === 'sync folder') {
      // Only what is there when the sync begins is covered by it.
      const covered = [...loose].filter((entry) => dirname(entry) === path && existsSync(entry))
      return () => {
        for (const entry of covered) loose.delete(entry)
        report()
      }
    }
    return undefined
  }
}
