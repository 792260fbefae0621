import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { dataFile } from './data-folder.ts'
import { ConfigError, type Config } from './config.ts'
import { hashApiKey } from '../http/authenticate.ts'
import { starterMailboxCandidates } from '../domain/onboarding.ts'
import { newKey } from '../manage/keys.ts'
import { createMailbox } from '../manage/mailboxes.ts'
import { createToken } from '../manage/one-time-tokens.ts'
import { ensureOwner } from '../manage/owner.ts'
import { createTeam } from '../manage/teams.ts'
import { KEY_FILE, writePrivately } from './key-file.ts'
import { newId, newSecret, secureRandom } from '../random.ts'
import { restrictToOwner } from '../sqlite/private-file.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

/** Another process that starts at the same time takes less; acquiring the lock can take a moment longer. */
const FIRST_TEAM_MS_MAX = 20_000
const POLL_MS = 50

const SECRETS_FILE = 'secrets.json'

/** What a new user needs: key and sign-in token in plain text, shown only once, and a working address. */
export type FirstStart = { apiKey: string; address: string; signInToken: string }

/** Secrets that the program generates when they are not configured. */
export type Secrets = { webhookSecret: string; secretKey: string }

/** Uses the configured secrets or those of an earlier start, and generates missing ones in a file with mode 0600. */
export async function ensureSecrets<Name extends keyof Secrets>(
  config: Config,
  names: Name[],
): Promise<Pick<Secrets, Name>> {
  // Create the folder only if there is something to write: an API on a read-only disk has all secrets configured.
  const path = join(config.dataDir, SECRETS_FILE)
  for (const name of [SECRETS_FILE, KEY_FILE]) restrictToOwner(join(config.dataDir, name))
  // Only this function writes the file.
  const stored = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>) : {}
  const missing = names.filter((name) => !config[name] && !stored[name])
  // Each process on the database would generate its own key and could not decrypt the secrets of the others.
  if (config.databaseUrl && missing.some((name) => name === 'secretKey')) {
    const { SECRET_KEY: left } = config.leftAlone
    throw new ConfigError([
      'SECRET_KEY: is required with DATABASE_URL and must be the same for all programs on one database; ' +
        (left === undefined
          ? 'generate one with: openssl rand -base64 32'
          : 'serve takes it only as MAILHATCH_SECRET_KEY or from a settings file, because the plain name may belong to the app under test'),
    ])
  }
  const generated = Object.fromEntries(missing.map((name) => [name, newSecret()]))
  if (missing.length > 0)
    await writePrivately(dataFile(config, SECRETS_FILE), JSON.stringify({ ...stored, ...generated }))
  // Every name is in one of the three.
  return Object.fromEntries(names.map((name) => [name, config[name] ?? stored[name] ?? generated[name]])) as Pick<
    Secrets,
    Name
  >
}

/**
 * Creates the first team and key if there is no team yet. Returns the key in plain text that one time, else null. Of
 * several programs that start on one database, only the one that holds the lock creates them.
 */
export async function ensureFirstTeam(
  config: Config,
  store: Store,
  { holdsLock, now }: { holdsLock: () => Promise<boolean>; now: () => number },
): Promise<FirstStart | null> {
  const hasTeam = async () => (await store.listTeams()).length > 0
  const giveUpAt = performance.now() + FIRST_TEAM_MS_MAX
  while (!(await holdsLock())) {
    if (await hasTeam()) return null
    if (performance.now() > giveUpAt)
      throw new Error('Another program did not create the first team in time. Start this program again.')
    await pause(POLL_MS)
  }
  // Check again: the previous holder of the lock may have created it.
  if (await hasTeam()) return null
  const ports = {
    store,
    rootDomain: config.rootDomain,
    newId,
    newSecret,
    now,
    random: secureRandom,
    hashKey: hashApiKey,
  }
  let apiKey = ''
  const input = { name: 'My Team', domain: config.bootstrapDomain, plan: config.defaultPlan, isBootstrap: true }
  const team = await createTeam(ports, input, async (teamId) => {
    const keyInput = { name: 'First key', scope: 'api.full' as const, mailbox: null, key: config.bootstrapApiKey }
    const { key, record } = newKey(ports, teamId, keyInput)
    // Write the file before the key is stored: afterwards only its hash is known.
    await writePrivately(dataFile(config, KEY_FILE), `${key}\n`)
    apiKey = key
    return record
  })
  const owner = await ensureOwner(ports)
  const signInToken = await createToken(ports, owner.id, 'sign-in')
  return { apiKey, address: await firstAddress(ports, team), signInToken }
}

/** A team with its own domain needs no mailbox. On the shared root domain it gets its first one. */
async function firstAddress(ports: Parameters<typeof createMailbox>[0], team: Team): Promise<string> {
  if (team.domain !== null) return `qa+signup@${team.domain}`
  for (const name of starterMailboxCandidates(team.name, secureRandom)) {
    const { domain } = await createMailbox(ports, team, name)
    return `${name}+signup@${domain}`
  }
  throw new Error('No free name for the first mailbox.')
}
