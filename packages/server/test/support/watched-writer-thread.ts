import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { BroadcastChannel, parentPort } from 'node:worker_threads'
import { openForWriting } from '../../src/sqlite/connection.ts'
import { serveWriters } from '../../src/sqlite/serve-writers.ts'
import type { FromThread, ToThread } from './watched-writer.ts'

const opened = new Map<string, DatabaseSync>()
const failing = new Set<string>()
const INBOX = 'inbox.db'
/** The largest that SQLite knows, its default. */
const PAGES_MAX = 4_294_967_294

export type ThreadSettings = { channelName: string; pragma: string }

/** The product's own writer thread, but it tells what it commits, and its disk fails when it is told to. */
export function serveWatched({ channelName, pragma }: ThreadSettings): void {
  const channel = new BroadcastChannel(channelName)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads, not a window
  const tell = (message: FromThread) => channel.postMessage(message)

  serveWriters(parentPort!, (path) => {
    const connection = openForWriting(path)
    connection.exec(pragma)
    opened.set(basename(path), connection)
    return watch(connection, basename(path), tell)
  })

  channel.addEventListener('message', (event: unknown) => {
    // Only watched-writer.ts knows the channel.
    const { file, disk } = (event as { data: ToThread }).data
    failing.delete(file)
    if (disk === 'failing') failing.add(file)
    // SQLite does not go below what is in use: with a limit of one page the file is full from now on.
    opened.get(file)!.exec(`pragma max_page_count = ${disk === 'full' ? 1 : PAGES_MAX}`)
    tell({ kind: 'obeyed' })
  })
}

function watch(connection: DatabaseSync, file: string, tell: (message: FromThread) => void): DatabaseSync {
  const prepare = connection.prepare.bind(connection)
  const synchronous = prepare('pragma synchronous')
  const newObjects = file === INBOX ? prepare('select number, key from objects where number > ? order by number') : null
  let lastNumber = 0

  connection.prepare = (sql) => {
    const statement = prepare(sql)
    if (sql !== 'commit') return statement
    const commit = statement.run.bind(statement)
    statement.run = () => {
      if (failing.has(file)) throw new Error('disk I/O error')
      const objects = newObjects?.all(lastNumber) ?? []
      const result = commit()
      const at = process.hrtime.bigint()
      lastNumber = Number(objects.at(-1)?.['number'] ?? lastNumber)
      const keys = objects.map(({ key }) => String(key))
      tell({ kind: 'committed', at, keys, synchronous: Number(synchronous.get()?.['synchronous']) })
      return result
    }
    return statement
  }
  return connection
}
