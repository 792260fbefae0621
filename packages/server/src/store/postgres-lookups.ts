import type { Sql } from './sql.ts'

/** More would wait for each other in one process of the server while its other processes are idle. */
const LOOKUPS_PER_TRIP = 16

type Lookup = { statement: Sql; resolve: (rows: unknown[]) => void; reject: (error: unknown) => void }

/**
 * Short reads of one turn of the event loop go to the server together, over one connection: to wake up a process of the
 * server costs more than such a read.
 */
export function createLookups(
  queryAll: (statements: Sql[]) => Promise<unknown[][]>,
): (statement: Sql) => Promise<unknown[]> {
  let waiting: Lookup[] = []

  function sendWaiting(): void {
    const all = waiting
    waiting = []
    for (let start = 0; start < all.length; start += LOOKUPS_PER_TRIP) {
      void answer(all.slice(start, start + LOOKUPS_PER_TRIP))
    }
  }

  /** If one fails, each is sent again, alone. */
  async function answer(group: Lookup[]): Promise<void> {
    try {
      const results = await queryAll(group.map(({ statement }) => statement))
      group.forEach(({ resolve }, index) => resolve(results[index]!))
    } catch (error) {
      if (group.length === 1) group[0]!.reject(error)
      else await Promise.all(group.map((one) => answer([one])))
    }
  }

  return (statement) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(sendWaiting)
      waiting.push({ statement, resolve, reject })
    })
}
