import type { Client } from 'pg'
import { expect } from 'vitest'
import { migratePostgres } from '../../src/store/postgres-migrations.ts'
import { connectAlone } from '../../src/store/postgres-session.ts'
import { play, randomHistory } from './history.ts'
import { catalogOf, createPreviousTables, migrateAtOnce } from './previous-database.ts'
import { connectPrevious } from './previous-replica.ts'
import { rowsOf } from './rows.ts'

/** URLs of new databases. */
type Databases = { empty: () => Promise<string>; copy: (url: string) => Promise<string> }

/** Kills an upgrade before its nth statement, for some n, and compares what the next one leaves. Returns how often. */
export async function killUpgrades(
  { empty, copy }: Databases,
  { first, every }: { first: number; every: number },
): Promise<number> {
  const start = await empty()
  await createPreviousTables(start)
  const old = await connectPrevious(start)
  await play(randomHistory(5, 120), old)
  await old.close()
  const expected = await copy(start)
  await migrateAtOnce(expected)
  const fresh = await empty()
  await migrate(fresh)
  const [rows, catalog] = [await rowsOf(expected), await catalogOf(fresh)]
  for (let count = 0; ; count++) {
    const url = await copy(start)
    const outcome = await migrate(url, first + count * every)
    if (outcome === 'killed') await migrate(url)
    expect(await rowsOf(url)).toEqual(rows)
    expect(await catalogOf(url)).toEqual(catalog)
    if (outcome === 'done') return count
  }
}

class Killed extends Error {}

async function migrate(url: string, killedBefore = Infinity): Promise<'killed' | 'done'> {
  let count = 0
  const client = await connectedWith(url, async () => {
    if (++count === killedBefore) throw new Killed()
  })
  try {
    await migratePostgres(client, { isFinish: true })
    return 'done'
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return 'killed'
  } finally {
    client.connection.stream.destroy()
  }
}

/** A connection that runs something before each statement. */
export async function connectedWith(url: string, before: (client: Client) => Promise<void>): Promise<Client> {
  const client = await connectAlone(url)
  const send = client.query.bind(client)
  return Object.assign(client, {
    async query(...words: [string]) {
      await before(client)
      return send(...words)
    },
  })
}
