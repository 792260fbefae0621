import { openStore } from '../assemble.ts'
import { readConfig } from '../config.ts'
import { AppError } from '../domain/errors.ts'
import { findTeam } from '../manage/teams.ts'
import type { Store, Team } from '../store/store.ts'

/** Opens the store beside a running server, which sees what is written here at its next read. */
export async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(readConfig('api'), { error: (_, message) => console.error(message) })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** The team that was named, or the only one there is. */
export async function chooseTeam(store: Store, idOrName: string | undefined): Promise<Team> {
  if (idOrName !== undefined) return findTeam({ store }, idOrName)
  const teams = await store.listTeams()
  if (teams.length === 1) return teams[0]!
  throw new AppError('validation_failed', teams.length === 0 ? 'There is no team yet.' : 'Say which team with --team.')
}
