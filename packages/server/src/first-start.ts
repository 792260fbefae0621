import { existsSync, readFileSync } from 'node:fs'
import { chmod, open, rename } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { dataFile } from './assemble.ts'
import type { Config } from './config.ts'
import { hashApiKey } from './http/authenticate.ts'
import { starterMailboxCandidates } from './domain/onboarding.ts'
import { makeKey } from './manage/keys.ts'
import { createMailbox } from './manage/mailboxes.ts'
import { createTeam } from './manage/teams.ts'
import { newId, newSecret, secureRandom } from './random.ts'
import type { Store, Team } from './store/store.ts'

/** Others that start at the same time are done in less; the connection that decides may be a moment late. */
const FIRST_TEAM_MS_MAX = 20_000
const LOOK_EVERY_MS = 50

/** What a newcomer needs: the key in clear, for the only time, and an address that works. */
export type FirstStart = { apiKey: string; address: string }

/** What the all-in-one program makes for itself when nobody gives it. */
export type Secrets = { webhookSecret: string }

/** Reads the secrets of an earlier start, makes what is missing, keeps them for this user's eyes only. */
export async function ensureSecrets(config: Config): Promise<Secrets> {
  const path = dataFile(config, 'secrets.json')
  // Only this function writes the file.
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>) : {}
  if (kept.webhookSecret) return { webhookSecret: kept.webhookSecret }
  const secrets = { webhookSecret: newSecret() }
  await writePrivately(path, JSON.stringify(secrets))
  return secrets
}

/**
 * Makes the first team and key, if there is no team yet; returns the key in clear that one time, else null. Of several
 * programs that start on one database, only the one whose turn it is makes them.
 */
export async function ensureFirstTeam(
  config: Config,
  store: Store,
  hasTurn: () => Promise<boolean>,
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
    now: Date.now,
    random: secureRandom,
    hashKey: hashApiKey,
  }
  let apiKey = ''
  const wish = { name: 'My Team', domain: config.bootstrapDomain, plan: config.defaultPlan, isBootstrap: true }
  const team = await createTeam(ports, wish, async (teamId) => {
    const keyWish = { name: 'First key', scope: 'api.full' as const, mailbox: null, key: config.bootstrapApiKey }
    const { key, record } = makeKey(ports, teamId, keyWish)
    // Before the key counts, because afterwards nobody could tell it any more.
    await writePrivately(dataFile(config, 'api-key'), `${key}\n`)
    apiKey = key
    return record
  })
  return { apiKey, address: await firstAddress(ports, team) }
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

async function writePrivately(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  await file.writeFile(content)
  await file.sync()
  await file.close()
  await chmod(temporary, 0o600)
  await rename(temporary, path)
}
