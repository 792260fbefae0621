import { randomUUID } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { restrictToOwner } from '../sqlite/private-file.ts'
import { chunksOf, type Bucket, type NewObject } from './bucket.ts'

/** The functions of `node:fs/promises` that the bucket uses. Tests replace them with a recorder. */
export type Files = Pick<typeof nodeFiles, 'mkdir' | 'open' | 'readdir' | 'rename' | 'rm' | 'stat'>

const TEMPORARY = '.incoming'
/** Folder names contain addresses, so other users must not read them. */
const OWNER_ONLY = { mode: 0o700 }
const FOLDERS = ['raw', 'messages']
/** Folders known to be durable. Beyond this number they are synced again. */
const KNOWN_FOLDERS_MAX = 100_000

/** One file per object, so that people can inspect them. Only the worker writes and sets `toPut`. */
export async function openFolderBucket(
  root: string,
  { files = nodeFiles, toPut = true }: { files?: Files; toPut?: boolean } = {},
): Promise<Bucket> {
  const durableFolders = new Map<string, Promise<void>>()
  const queues = new Map<string, Promise<void>>()
  await makeRoot()
  if (toPut) await clearTemporary()

  /** Files left here belong to mail that was never acknowledged. */
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
    // The root may contain other files; our own folders in it become private.
    for (const folder of FOLDERS) restrictToOwner(join(root, folder))
    for (let path = root; path.length >= created.length; path = dirname(path)) await syncPath(dirname(path))
  }

  /**
   * A new folder is durable only once its parent folder is synced. Concurrent callers wait for the same sync. After a
   * failed one, the next caller tries again.
   */
  function ensureFolder(folder: string): Promise<void> {
    if (folder === root) return Promise.resolve()
    const known = durableFolders.get(folder)
    if (known) return known
    if (durableFolders.size >= KNOWN_FOLDERS_MAX) durableFolders.clear()
    const created = createFolder(folder)
    durableFolders.set(folder, created)
    created.catch(() => durableFolders.delete(folder))
    return created
  }

  async function createFolder(folder: string): Promise<void> {
    await ensureFolder(dirname(folder))
    await files.mkdir(folder, { recursive: true, ...OWNER_ONLY })
    await syncPath(dirname(folder))
  }

  /**
   * Temporary file, sync, rename, sync of the folder: the object appears complete, and the previous one stays until then.
   * `onCreate` is called before a new key can appear.
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
      // If this fails, the next start deletes the file. Its mail was never acknowledged.
      await files.rm(temporary, { force: true }).catch(() => {})
      throw error
    }
    await syncPath(dirname(path))
  }

  async function isFile(path: string): Promise<boolean> {
    return Boolean(await files.stat(path).catch(ignoreAbsent))
  }

  /** Runs work on one key sequentially, so that an object cannot be deleted in the middle of a move. */
  function inSequence(key: string, work: () => Promise<void>): Promise<void> {
    const done = (queues.get(key) ?? Promise.resolve()).then(work)
    const settled = done.catch(() => {}).then(() => void (queues.get(key) === settled && queues.delete(key)))
    queues.set(key, settled)
    return done
  }

  async function remove(keys: string[]): Promise<void> {
    for (const key of keys) await inSequence(key, () => files.rm(join(root, key), { force: true }))
    for (const folder of new Set(keys.map((key) => dirname(join(root, key))))) {
      await syncPath(folder).catch(ignoreAbsent)
    }
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
      } else if (!isBeforeCursor(key, after)) yield* keysUnder(key, prefix, after)
    }
  }

  return {
    async put(objects) {
      const created: string[] = []
      try {
        for (const object of objects) await write(object, () => created.push(object.key))
      } catch (error) {
        // In reverse order and only until one fails, so that metadata never remains without its mail.
        await remove(created.toReversed()).catch(() => {})
        throw error
      }
    },

    async get(key) {
      // Uses the size of the open file, because the key may get a new file meanwhile.
      const handle = await files.open(join(root, key), 'r').catch(ignoreAbsent)
      if (!handle) return null
      const { size } = await handle.stat().catch(async (error: unknown) => {
        await handle.close()
        throw error
      })
      // Node and the DOM types declare the same class separately.
      return { size, stream: Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array> }
    },

    move: (from, to) =>
      inSequence(from, async () => {
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

/** Whether every key in the folder sorts before the cursor. */
function isBeforeCursor(folder: string, cursor: string): boolean {
  return folder < cursor && !cursor.startsWith(folder)
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : 1
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
