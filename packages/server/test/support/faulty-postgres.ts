import pg, { type QueryConfig, type QueryResult } from 'pg'
import type { Below, StepFault } from './call-faults.ts'
import { late } from './step-faults.ts'

type State = StepFault & { seen: number; hits: number }
type Query = (this: pg.Client, query: QueryConfig | string, ...more: unknown[]) => Promise<QueryResult>

/** By the name of the database. */
const failing = new Map<string, State>()
/** Connections that break before their next statement. */
const broken = new WeakSet<pg.Client>()
let isInstalled = false

/** Transactions on this database fail on demand: by an error of the server itself, or by a connection that breaks. */
export function faultyPostgres(url: string): Below {
  const database = new URL(url).pathname.slice(1)
  install()
  return {
    async arm(fault) {
      failing.set(database, { ...fault, seen: 0, hits: 0 })
    },
    async disarm() {
      const { hits } = failing.get(database) ?? { hits: 0 }
      failing.delete(database)
      return hits
    },
  }
}

/** The driver's connections are made by the product, so their common method is replaced. */
function install(): void {
  if (isInstalled) return
  isInstalled = true
  const query = pg.Client.prototype.query as Query
  const replaced: Query = function (given, ...more) {
    const text = typeof given === 'object' ? given.text : given
    if (broken.has(this)) return Promise.reject(new Error('Connection terminated unexpectedly'))
    const state = failing.get(this.database ?? '')
    if (!state || typeof text !== 'string' || !happens(state, text)) return query.call(this, given, ...more)
    const { fault } = state
    if (fault.when === 'before') return query.call(this, raise(fault.kind))
    if (fault.when === 'half') broken.add(this)
    return query.call(this, given, ...more).then((result) => {
      if (fault.when === 'late') return late(fault, result)
      broken.add(this)
      // The stream of a connection is not in the types.
      ;(this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
      throw new Error('Connection terminated unexpectedly')
    })
  }
  pg.Client.prototype.query = replaced as typeof pg.Client.prototype.query
}

/** After the effect is after the commit, and half is some statement before it. Reads fail elsewhere. */
function happens(state: State, text: string): boolean {
  const { fault, skip, lasts } = state
  if (/^\s*(?:select|show|set|begin|rollback)\b/i.test(text)) return false
  const isCommit = text === 'commit'
  if (fault.when === 'after' || fault.when === 'late' ? !isCommit : fault.when === 'half' && isCommit) return false
  const number = state.seen++
  if (number < skip || (number > skip && !lasts)) return false
  state.hits++
  return true
}

function raise(code: string): string {
  return `do $$ begin raise exception 'as asked' using errcode = '${code}'; end $$`
}
