import type { Scope } from '@mailhatch/sdk'
import { openStore } from '../../src/program/open-store.ts'
import { readConfig } from '../../src/program/config.ts'
import type { PlanName } from '../../src/domain/plans.ts'
import { hashApiKey } from '../../src/http/authenticate.ts'
import { createKey } from '../../src/manage/keys.ts'
import { createTeam, findTeam } from '../../src/manage/teams.ts'
import { newId, secureRandom } from '../../src/random.ts'
import type { Store } from '../../src/store/store.ts'
import { withDatabase } from './journey-database.ts'
import { madeSecret } from './made-secrets.ts'

type Environment = Record<string, string>
type TeamInput = { name: string; domain?: string; plan: PlanName }
type KeyInput = { scope?: Scope; mailbox?: string; expiresAt?: number }

const making = { newId, now: Date.now, random: secureRandom, hashKey: hashApiKey }

/**
 * Creates a team and a key in the store of this environment, like the commands, while a server may be running. For tests
 * about something else, because each command is a process that takes half a second.
 */
export function makeTeam(environment: Environment, { name, domain, plan }: TeamInput): Promise<string> {
  return besideServer(environment, async (store, rootDomain) => {
    const team = await createTeam({ store, rootDomain, ...making }, { name, domain: domain ?? null, plan })
    const { key } = await createKey({ store, ...making }, team, { name: 'Key', scope: 'api.full', mailbox: null })
    return madeSecret(key)
  })
}

/** Creates another key for a team. */
export function makeTeamKey(environment: Environment, teamName: string, wish: KeyInput = {}): Promise<string> {
  return besideServer(environment, async (store) => {
    const team = await findTeam({ store }, teamName)
    const name = wish.mailbox
    const mailbox = name === undefined ? null : await store.findTeamMailbox({ teamId: team.id, name })
    const scope = wish.scope ?? (mailbox ? 'email.mailbox' : 'api.full')
    const { expiresAt = null } = wish
    const { key } = await createKey({ store, ...making }, team, { name: 'Key', scope, mailbox, expiresAt })
    return madeSecret(key)
  })
}

async function besideServer<Created>(
  environment: Environment,
  make: (store: Store, rootDomain: string) => Promise<Created>,
): Promise<Created> {
  const config = readConfig('api', await withDatabase(environment))
  const store = await openStore(config, { error: (_, message) => console.error(message) })
  try {
    return await make(store, config.rootDomain)
  } finally {
    await store.close()
  }
}
