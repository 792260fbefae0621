import type { ReadStream } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import type { Files } from '../../src/bucket/folder-bucket.ts'
import { failingChunks, takeStep, type FaultSource } from './step-faults.ts'

type Handle = Awaited<ReturnType<Files['open']>>

/**
 * The real file system, with calls that fail on demand. With `losesNames`, a folder whose sync fails loses the names that
 * it got since the last one. That is only right while no two writers sync the same folder: the second would not notice.
 */
export function faultyFiles(faultOf: FaultSource, { losesNames = false } = {}): Files {
  const unsynced = new Map<string, Set<string>>()

  function step<Result>(name: string, take: () => Promise<Result>, drop?: (result: Result) => Promise<unknown>) {
    return takeStep({ fault: faultOf(name), take, fail: failure, ...(drop ? { drop } : {}) })
  }

  function addName(path: string): void {
    const folder = dirname(path)
    unsynced.set(folder, (unsynced.get(folder) ?? new Set()).add(path))
  }

  async function loseNames(folder: string): Promise<void> {
    for (const path of unsynced.get(folder) ?? []) await nodeFiles.rm(path, { recursive: true, force: true })
    unsynced.delete(folder)
  }

  function watched(handle: Handle, { kind, path }: { kind: string; path: string }): Handle {
    const [sync, close, stat] = [handle.sync.bind(handle), handle.close.bind(handle), handle.stat.bind(handle)]
    const writeFile = handle.writeFile.bind(handle)
    const createReadStream = handle.createReadStream.bind(handle)
    handle.sync = () =>
      takeStep({
        fault: faultOf(`sync ${kind}`),
        async take() {
          await sync()
          unsynced.delete(path)
        },
        // As on Linux, where a failed sync drops what the disk did not take.
        lose: kind === 'to write' ? () => handle.truncate() : async () => losesNames && loseNames(path),
        fail: failure,
      })
    handle.stat = (() => step(`stat ${kind}`, () => stat())) as Handle['stat']
    handle.close = async () => {
      // A descriptor is closed whatever the result of the step.
      try {
        await step(`close ${kind}`, async () => {})
      } finally {
        await close()
      }
    }
    // The folder bucket only reads chunks from it.
    handle.createReadStream = () => {
      const fault = faultOf('read')
      if (fault === null) return createReadStream()
      return Readable.from(failingChunks(createReadStream(), fault, failure)) as unknown as ReadStream
    }
    handle.writeFile = (data) =>
      takeStep({
        fault: faultOf('write'),
        take: () => writeFile(data),
        // The folder bucket writes bytes only.
        half: () => writeFile((data as Uint8Array).subarray(0, (data as Uint8Array).byteLength / 2)),
        fail: failure,
      })
    return handle
  }

  return {
    // Overloads differ only in what they return for options that the folder bucket does not use.
    mkdir: ((path: string, options: { recursive: true }) =>
      step('make folder', async () => {
        const created = await nodeFiles.mkdir(path, options)
        if (created !== undefined) addName(created)
        return created
      })) as Files['mkdir'],
    readdir: ((path: string, options: { withFileTypes: true }) =>
      step('read folder', () => nodeFiles.readdir(path, options))) as unknown as Files['readdir'],
    rename: (path, to) =>
      step('rename', async () => {
        await nodeFiles.rename(path, to)
        addName(String(to))
      }),
    rm: (path, options) => step('remove', () => nodeFiles.rm(path, options)),
    stat: ((path: string) => step('look', () => nodeFiles.stat(path))) as Files['stat'],
    async open(path, flags, mode) {
      const kind = flags === 'r' ? 'to read' : 'to write'
      const open = () => nodeFiles.open(path, flags, mode)
      return watched(await step(`open ${kind}`, open, (handle) => handle.close()), { kind, path: String(path) })
    },
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: as asked`), { code })
}
