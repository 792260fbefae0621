import { basename } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { BroadcastChannel, parentPort } from 'node:worker_threads'
import { openForWriting } from '../../src/sqlite/connection.ts'
import { serveWriters } from '../../src/sqlite/serve-writers.ts'
import { seededRandom } from './seeded-random.ts'
import { CODES, failure, waitFor } from './faulty-reader.ts'
import { callFaults, isLate, LATE_MS, plannedFaults, type Fault, type FaultSource } from './step-faults.ts'
import type { FromThread, ThreadFaults, ToThread } from './watched-writer.ts'

const opened = new Map<string, DatabaseSync>()
const failing = new Set<string>()
const faulty = new Map<string, { faultOf: FaultSource; steps: () => number }>()
const INBOX = 'inbox.db'
/** The largest value of SQLite, its default. */
const PAGES_MAX = 4_294_967_294

export type ThreadSettings = { channelName: string; pragma: string }

/** The product's writer thread, which also reports its commits, and whose disk fails on demand. */
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
    const { file, ...told } = (event as { data: ToThread }).data
    if ('faults' in told) {
      const steps = faulty.get(file)?.steps() ?? 0
      faulty.delete(file)
      if (told.faults)
        faulty.set(
          file,
          faultsOf(told.faults, (call, isHit) => tell({ kind: 'called', call, isHit })),
        )
      tell({ kind: 'obeyed', steps })
      return
    }
    const { disk } = told
    failing.delete(file)
    if (disk === 'failing') failing.add(file)
    // SQLite does not go below the used size: with a limit of one page, the file is full from now on.
    opened.get(file)!.exec(`pragma max_page_count = ${disk === 'full' ? 1 : PAGES_MAX}`)
    tell({ kind: 'obeyed', steps: 0 })
  })
}

function watch(connection: DatabaseSync, file: string, tell: (message: FromThread) => void): DatabaseSync {
  const prepare = connection.prepare.bind(connection)
  const synchronous = prepare('pragma synchronous')
  const newObjects = file === INBOX ? prepare('select number, key from objects where number > ? order by number') : null
  let lastNumber = 0

  connection.prepare = (sql) => {
    const statement = prepare(sql)
    // Without it, failed writes could not be rolled back, and the program would end.
    if (sql !== 'rollback') failAsTold(statement, file, sql)
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

type OnCall = (call: string, isHit: boolean) => void

function faultsOf(faults: ThreadFaults, onCall: OnCall): { faultOf: FaultSource; steps: () => number } {
  if ('at' in faults) return plannedFaults(faults)
  if ('call' in faults) {
    const { faultOf, hits } = callFaults(faults)
    const noticed: FaultSource = (sql) => {
      const call = callOf(sql)
      const fault = faultOf(call)
      onCall(call, fault !== null)
      return fault
    }
    return { faultOf: noticed, steps: hits }
  }
  const random = seededRandom(faults.seed)
  let count = 0
  const faultOf = (): Fault | null => {
    if (!random.chance(faults.perMille / 1000)) return null
    count++
    return { when: random.pick(['before', 'after']), kind: random.pick(Object.keys(CODES)) }
  }
  return { faultOf, steps: () => count }
}

/** The name of a call in a plan. */
function callOf(sql: string): string {
  if (sql === 'begin immediate') return 'begin'
  if (sql === 'commit') return 'commit'
  return sql.startsWith('insert into parts') ? 'statement of a part' : 'statement'
}

function failAsTold(statement: StatementSync, file: string, sql: string): void {
  for (const name of ['run', 'all'] as const) {
    const execute = statement[name].bind(statement) as (...values: never[]) => never
    statement[name] = (...values: never[]) => {
      const fault = faulty.get(file)?.faultOf(sql) ?? null
      if (fault?.when === 'before') throw failure(fault.kind)
      if (fault?.when === 'late') waitFor(fault.lateMs ?? LATE_MS)
      const result = execute(...values)
      if (fault?.when === 'late reply') waitFor(fault.lateMs ?? LATE_MS)
      if (fault && !isLate(fault)) throw failure(fault.kind)
      return result
    }
  }
}
