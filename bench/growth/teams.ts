import { mkdirSync } from 'node:fs'
import { createSqlStore } from '../../packages/server/src/store/sql-store.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { compareRates, KINDS, storeOne } from '../scale/citus-rate.ts'
import { makeTeams, type MadeTeam } from '../scale/citus-teams.ts'
import { openPlace, type Place } from '../search/databases.ts'
import type { OnPoint } from './curve.ts'

const ROUNDS = 3

/** The same clients, for a random one of more and more teams. */
export async function growTeams(place: Place, sizes: number[], onPoint: OnPoint): Promise<void> {
  mkdirSync(place.folder, { recursive: true, mode: 0o700 })
  const store = createSqlStore(await openPlace(place), { onError: (error) => console.error(error) })
  try {
    await growTeamsIn(store, sizes, onPoint)
  } finally {
    await store.close()
  }
}

async function growTeamsIn(store: Store, sizes: number[], onPoint: OnPoint): Promise<void> {
  const teams: MadeTeam[] = []
  for (const size of sizes) {
    const added = await makeTeams(store, `grown-${size}`, size - teams.length)
    // Each has something to read.
    for (const { mailbox } of added) await storeOne(store, mailbox)
    teams.push(...added)
    const [rates] = await compareRates([{ name: 'store', store, teams }], ROUNDS)
    KINDS.forEach(({ name }, kind) => onPoint({ series: name, unit: 'calls/s', size, value: rates!.rates[kind]! }))
  }
}
