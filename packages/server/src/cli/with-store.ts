import { readConfig } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { findTeam } from '../manage/teams.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

/**
 * Opens the store, also while a server is running, which sees the changes at its next read. Throws if there is none: only
 * servers and `mailhatch db` create one.
 */
export async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  // Loaded on demand: most commands do not need it.
  const [{ openStore }, { withExistingDatabase }] = await Promise.all([
    import('../program/open-store.ts'),
    import('../program/find-database.ts'),
  ])
  const config = await withExistingDatabase(readConfig('command'))
  const store = await openStore(config, { error: (_, message) => console.error(message) })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** The given team, or the only one. */
export async function chooseTeam(store: Store, idOrName: string | undefined): Promise<Team> {
  if (idOrName !== undefined) return findTeam({ store }, idOrName)
  const teams = await store.listTeams()
  if (teams.length === 1) return teams[0]!
  throw new AppError(
    'validation_failed',
    teams.length === 0 ? 'There are no teams yet.' : 'There are several teams: pass --team.',
  )
}
