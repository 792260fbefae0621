import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from './config.ts'
import { prefixed, type LeftAlone } from './config-sources.ts'
import { DATABASE_FILE, databaseStatus, postgresUrl } from './find-database.ts'
import { createEncryption } from '../manage/encryption.ts'
import type { Store } from '../store/store.ts'

// `serve` leaves variables alone that may belong to the app under test. An earlier version took them, so a start that would
// lose the data or the secrets of such an installation stops and names the variable to set.

/** One line, or null if nothing was left alone. */
export function describeLeftAlone(leftAlone: LeftAlone): string | null {
  const names = Object.keys(leftAlone)
  if (names.length === 0) return null
  const [were, they, them] = names.length === 1 ? ['was', 'it', 'it'] : ['were', 'they', 'them']
  return `${listed(names)} ${were} left alone, because ${they} may belong to the app under test. To use ${them} here: ${listed(names.map(prefixed))}.`
}

/** Throws if DATABASE_URL has our tables, or if it is down and the data folder was used with a database elsewhere. */
export async function refuseOwnDatabase({ dataDir, databaseUrl, leftAlone }: Config): Promise<void> {
  const url = postgresUrl(leftAlone.DATABASE_URL)
  if (databaseUrl !== null || url === null) return
  const { findTables } = await databaseStatus()
  const tables = await findTables(postgresUrl(leftAlone.DATABASE_DIRECT_URL) ?? url)
  const usedElsewhere = existsSync(join(dataDir, 'inbox.db')) && !existsSync(join(dataDir, DATABASE_FILE))
  if (tables === 'not ours' || (tables === 'unreachable' && !usedElsewhere)) return
  const found =
    tables === 'ours' ? 'has the tables of Mailhatch' : `is unreachable, and ${dataDir} was used with such a database`
  throw new ConfigError([
    `DATABASE_URL=(hidden): ${found}, but serve no longer takes this name, which may belong to the app under test. ` +
      `Set ${listed(Object.keys(leftAlone).map(prefixed))} instead, or run mailhatch api and mailhatch worker.`,
  ])
}

/** Throws if webhook secrets are encrypted with SECRET_KEY and not with our key. */
export async function refuseOwnSecretKey(
  { leftAlone }: Config,
  { store, secretKey }: { store: Pick<Store, 'listTeams' | 'listEndpoints'>; secretKey: string },
): Promise<void> {
  if (leftAlone.SECRET_KEY === undefined) return
  const [ours, theirs] = [createEncryption(secretKey), createEncryption(leftAlone.SECRET_KEY)]
  for (const { id } of await store.listTeams()) {
    const endpoints = await store.listEndpoints(id)
    const isTheirs = endpoints.some(({ secret }) => !canDecrypt(ours, secret) && canDecrypt(theirs, secret))
    if (!isTheirs) continue
    throw new ConfigError([
      'SECRET_KEY=(hidden): encrypts the webhook secrets in this database, but serve no longer takes this name, which may ' +
        `belong to the app under test. Set ${prefixed('SECRET_KEY')} to the same value instead.`,
    ])
  }
}

function canDecrypt({ decrypt }: ReturnType<typeof createEncryption>, secret: string): boolean {
  try {
    decrypt(secret)
    return true
  } catch {
    return false
  }
}

function listed(names: string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
