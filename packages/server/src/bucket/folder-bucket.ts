import { randomUUID } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { narrow } from '../sqlite/private-file.ts'
import { chunksOf, type Bucket, type NewObject } from './bucket.ts'

/** What the bucket needs of `node:fs/promises`; tests put a recorder in its place. */
export type Files = Pick<typeof nodeFiles, 'mkdir' | 'open' | 'readdir' | 'rename' | 'rm' | 'stat'>

const TEMPORARY = '.incoming'
/** The names of folders are addresses, so that they are not for others either. */
const OWNER_ONLY = { mode: 0o700 }
const FOLDERS = ['raw', 'messages']
/** Folders known to be on the disk; beyond this they are synced once more. */
const KNOWN_FOLDERS_MAX = 100_000

/** One file per object, for people who want to look at them. Only the worker, which puts, opens it `toPut`. */
export async function openFolderBucket(
  root: string,
  { files = nodeFiles, toPut = true }: { files?: Files; toPut?: boolean } = {},
): Promise<Bucket> {
  const durableFolders = new Map<string, Promise<void>>()
  const turns = new Map<string, Promise<void>>()
  await makeRoot()
  if (toPut) await clearTemporary()

  /** What is left there was never acknowledged. */
  async function clearTemporary(): Promise<void> {
    await files.rm(join(root, TEMPORARY), { recursive: true, force: true })
    await files.mkdir(join(root, TEMPORARY), OWNER_ONLY)
    await syncPath(root)
  }

  async function syncPath(path: string): Promise<void> {
    const handle = await files.open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }

  async function makeRoot(): Promise<void> {
    const created = (await files.mkdir(root, { recursive: true, ...OWNER_ONLY })) ?? root
    // The folder itself may hold other things; what is ours in it is closed to others.
    for (const folder of FOLDERS) narrow(join(root, folder))
    for (let path = root; path.length >= created.length; path = dirname(path)) await syncPath(dirname(path))
  }

  /**
   * A folder is as durable as its entry in the folder above. All who need it wait for the same sync; after a failed
   * one, the next who needs it tries again.
   */
  function ensureFolder(folder: string): Promise<void> {
    if (folder === root) return Promise.resolve()
    const known = durableFolders.get(folder)
    if (known) return known
    if (durableFolders.size >= KNOWN_FOLDERS_MAX) durableFolders.clear()
    const made = makeFolder(folder)
    durableFolders.set(folder, made)
    made.catch(() => durableFolders.delete(folder))
    return made
  }

  async function makeFolder(folder: string): Promise<void> {
    await ensureFolder(dirname(folder))
    await files.mkdir(folder, { recursive: true, ...OWNER_ONLY })
    await syncPath(dirname(folder))
  }

  /**
   * Temporary file, sync, rename, sync of the folder: the object is whole, and what it replaces stays until then.
   * `onCreate` is called before a key that was not there may appear.
   */
  async function write({ key, body }: NewObject, onCreate: () => void = () => {}): Promise<void> {
    const temporary = join(root, TEMPORARY, randomUUID())
    const path = join(root, key)
    try {
      const handle = await files.open(temporary, 'wx', 0o600)
      try {
        for await (const chunk of chunksOf(body)) await handle.writeFile(chunk)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await ensureFolder(dirname(path))
      if (!(await isFile(path))) onCreate()
      await files.rename(temporary, path)
    } catch (error) {
      // What stays was never acknowledged and goes at the next start.
      await files.rm(temporary, { force: true }).catch(() => {})
      throw error
    }
    await syncPath(dirname(path))
  }

  async function isFile(path: string): Promise<boolean> {
    return Boolean(await files.stat(path).catch(ignoreAbsent))
  }

  /** One after another for each key, so that what is being moved cannot be removed half-way. */
  function inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const done = (turns.get(key) ?? Promise.resolve()).then(work)
    const settled = done.catch(() => {}).then(() => void (turns.get(key) === settled && turns.delete(key)))
    turns.set(key, settled)
    return done
  }

  async function remove(keys: string[]): Promise<void> {
    for (const key of keys) await inTurn(key, () => files.rm(join(root, key), { force: true }))
    for (const folder of new Set(keys.map((key) => dirname(join(root, key))))) {
      await syncPath(folder).catch(ignoreAbsent)
    }
  }

  /** As much of it as a disk in trouble allows; the first failure is the one to report. */
  async function undo(created: string[]): Promise<void> {
    // Metadata goes before its mail, as it came after it.
    for (const key of created.toReversed()) await remove([key]).catch(() => {})
  }

  async function* keysUnder(folder: string, prefix: string, after: string): AsyncGenerator<string> {
    const entries = await files.readdir(join(root, folder), { withFileTypes: true }).catch(ignoreAbsent)
    const names = (entries ?? []).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort(byBytes)
    for (const name of names) {
      const key = folder === '' ? name : `${folder}${name}`
      if (key.startsWith(TEMPORARY)) continue
      if (!key.startsWith(prefix) && !prefix.startsWith(key)) continue
      if (!name.endsWith('/')) {
        if (key > after) yield key
      } else if (!isBehind(key, after)) yield* keysUnder(key, prefix, after)
    }
  }

  return {
    async put(objects) {
      const created: string[] = []
      try {
        for (const object of objects) await write(object, () => created.push(object.key))
      } catch (error) {
        await undo(created)
        throw error
      }
    },

    async get(key) {
      // By the open file, because the key may get another one meanwhile.
      const handle = await files.open(join(root, key), 'r').catch(ignoreAbsent)
      if (!handle) return null
      const { size } = await handle.stat().catch(async (error: unknown) => {
        await handle.close()
        throw error
      })
      // Node and the web each have a type for what is one class.
      return { size, stream: Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array> }
    },

    move: (from, to) =>
      inTurn(from, async () => {
        const path = join(root, from)
        if (!(await isFile(path))) return
        await write(to)
        if (from === to.key) return
        await files.rm(path, { force: true })
        await syncPath(dirname(path))
      }),

    remove,

    async list({ prefix, cursor, limit }) {
      const keys: string[] = []
      for await (const key of keysUnder('', prefix, cursor ?? '')) {
        if (keys.length === limit) return { keys, cursor: keys.at(-1)! }
        keys.push(key)
      }
      return { keys, cursor: null }
    },

    async close() {},
  }
}

/** Everything below the folder comes before the cursor. */
function isBehind(folder: string, cursor: string): boolean {
  return folder < cursor && !cursor.startsWith(folder)
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : 1
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
