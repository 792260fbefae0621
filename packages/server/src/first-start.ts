import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { dataFile } from './assemble.ts'
import { ConfigError, type Config } from './config.ts'
import { hashApiKey } from './http/authenticate.ts'
import { starterMailboxCandidates } from './domain/onboarding.ts'
import { makeKey } from './manage/keys.ts'
import { createMailbox } from './manage/mailboxes.ts'
import { giveToken } from './manage/one-time-tokens.ts'
import { ensureOwner } from './manage/owner.ts'
import { createTeam } from './manage/teams.ts'
import { KEY_FILE, writePrivately } from './key-file.ts'
import { newId, newSecret, secureRandom } from './random.ts'
import { narrow } from './sqlite/private-file.ts'
import type { Store, Team } from './store/store.ts'

/** Others that start at the same time are done in less; the connection that decides may be a moment late. */
const FIRST_TEAM_MS_MAX = 20_000
const LOOK_EVERY_MS = 50

const SECRETS_FILE = 'secrets.json'

/** What a newcomer needs: key and sign-in token in clear, for the only time, and an address that works. */
export type FirstStart = { apiKey: string; address: string; signInToken: string }

/** What a program makes for itself when nobody gives it. */
export type Secrets = { webhookSecret: string; secretKey: string }

/** Takes the secrets that are given, or those of an earlier start; makes what is missing, for this user's eyes only. */
export async function ensureSecrets<Name extends keyof Secrets>(
  config: Config,
  names: Name[],
): Promise<Pick<Secrets, Name>> {
  // An API on a read-only disk is given all it needs, so the folder is made only where something is to be written.
  const path = join(config.dataDir, SECRETS_FILE)
  for (const name of [SECRETS_FILE, KEY_FILE]) narrow(join(config.dataDir, name))
  // Only this function writes the file.
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>) : {}
  const missing = names.filter((name) => !config[name] && !kept[name])
  // Others on the database would make another one, and none could open what the others have sealed.
  if (config.databaseUrl && missing.some((name) => name === 'secretKey')) {
    throw new ConfigError([
      'SECRET_KEY: is needed with DATABASE_URL, the same for all programs on one database; make one with: openssl rand -base64 32',
    ])
  }
  const made = Object.fromEntries(missing.map((name) => [name, newSecret()]))
  if (missing.length > 0) await writePrivately(dataFile(config, SECRETS_FILE), JSON.stringify({ ...kept, ...made }))
  // Each name is in one of them.
  return Object.fromEntries(names.map((name) => [name, config[name] ?? kept[name] ?? made[name]])) as Pick<
    Secrets,
    Name
  >
}

/**
 * Makes the first team and key, if there is no team yet; returns the key in clear that one time, else null. Of several
 * programs that start on one database, only the one whose turn it is makes them.
 */
export async function ensureFirstTeam(
  config: Config,
  store: Store,
  { hasTurn, now }: { hasTurn: () => Promise<boolean>; now: () => number },
): Promise<FirstStart | null> {
  const hasTeam = async () => (await store.listTeams()).length > 0
  const giveUpAt = performance.now() + FIRST_TEAM_MS_MAX
  while (!(await hasTurn())) {
    if (await hasTeam()) return null
    if (performance.now() > giveUpAt) throw new Error('Another program has not made the first team. Start again.')
    await pause(LOOK_EVERY_MS)
  }
  // Asked once more, since whoever had the turn before may have made it.
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
  const wish = { name: 'My Team', domain: config.bootstrapDomain, plan: config.defaultPlan, isBootstrap: true }
  const team = await createTeam(ports, wish, async (teamId) => {
    const keyWish = { name: 'First key', scope: 'api.full' as const, mailbox: null, key: config.bootstrapApiKey }
    const { key, record } = makeKey(ports, teamId, keyWish)
    // Before the key counts, because afterwards nobody could tell it any more.
    await writePrivately(dataFile(config, KEY_FILE), `${key}\n`)
    apiKey = key
    return record
  })
  const owner = await ensureOwner(ports)
  const signInToken = await giveToken(ports, owner.id, 'sign-in')
  return { apiKey, address: await firstAddress(ports, team), signInToken }
}

/** On its own domain a team needs no mailbox; on the shared root domain it gets its first one. */
async function firstAddress(ports: Parameters<typeof createMailbox>[0], team: Team): Promise<string> {
  if (team.domain !== null) return `qa+signup@${team.domain}`
  for (const name of starterMailboxCandidates(team.name, secureRandom)) {
    const { domain } = await createMailbox(ports, team, name)
    return `${name}+signup@${domain}`
  }
  throw new Error('No name was found for the first mailbox.')
}
