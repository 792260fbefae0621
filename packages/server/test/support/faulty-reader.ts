import type { DatabaseSync } from 'node:sqlite'
import { isLate, LATE_MS, type FaultSource } from './step-faults.ts'

/** SQLite's codes for a disk that fails and for one that is full. */
export const CODES: Record<string, number> = { EIO: 10, ENOSPC: 13 }

/** A connection whose queries fail on demand. They run in this thread, which a slow disk blocks. */
export function failingReader(connection: DatabaseSync, faultOf: FaultSource): DatabaseSync {
  const prepare = connection.prepare.bind(connection)
  connection.prepare = (sql) => {
    const statement = prepare(sql)
    for (const name of ['get', 'all'] as const) {
      const execute = statement[name].bind(statement) as (...values: never[]) => never
      statement[name] = (...values: never[]) => {
        const fault = faultOf('query')
        if (fault && isLate(fault)) waitFor(fault.lateMs ?? LATE_MS)
        else if (fault) throw failure(fault.kind)
        return execute(...values)
      }
    }
    return statement
  }
  return connection
}

export function failure(kind: string): Error {
  return Object.assign(new Error(`${kind}: as asked`), { errcode: CODES[kind] })
}

/** Blocks the thread, as a slow disk does. */
export function waitFor(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
