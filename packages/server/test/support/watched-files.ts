import * as nodeFiles from 'node:fs/promises'
import type { Files } from '../../src/bucket/folder-bucket.ts'

export type FileStep =
  | { name: 'make folder' | 'open' | 'write' | 'sync' | 'close' | 'sync folder'; path: string }
  | { name: 'rename'; path: string; to: string }

/** Called before each step. May throw, or return a function to call after the step. */
export type FileWatch = (step: FileStep) => (() => void) | void

/** The real file system, watched step by step. */
export function watchFiles(watch: FileWatch): Files {
  async function watched<Result>(step: FileStep, take: () => Promise<Result>): Promise<Result> {
    const done = watch(step)
    const result = await take()
    done?.()
    return result
  }

  return {
    ...nodeFiles,
    // The overloads differ only in what they return; the folder bucket creates folders recursively.
    mkdir: ((path: string, options: { recursive: true }) =>
      watched({ name: 'make folder', path }, () => nodeFiles.mkdir(path, options))) as Files['mkdir'],
    rename: (path, to) =>
      watched({ name: 'rename', path: String(path), to: String(to) }, () => nodeFiles.rename(path, to)),
    async open(given, flags, mode) {
      const path = String(given)
      const isFolder = flags === 'r'
      const open = () => nodeFiles.open(path, flags, mode)
      const handle = isFolder ? await open() : await watched({ name: 'open', path }, open)
      const sync = handle.sync.bind(handle)
      const close = handle.close.bind(handle)
      const writeFile = handle.writeFile.bind(handle)
      handle.sync = () => watched({ name: isFolder ? 'sync folder' : 'sync', path }, sync)
      if (isFolder) return handle
      handle.close = async () => {
        // A descriptor is closed whatever the result of the step.
        try {
          await watched({ name: 'close', path }, async () => {})
        } finally {
          await close()
        }
      }
      handle.writeFile = (data, options) => watched({ name: 'write', path }, () => writeFile(data, options))
      return handle
    },
  }
}
