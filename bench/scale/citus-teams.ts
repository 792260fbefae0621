import { hashApiKey } from '../../packages/server/src/http/authenticate.ts'
import { createKey } from '../../packages/server/src/manage/keys.ts'
import { createTeam } from '../../packages/server/src/manage/teams.ts'
import { newId, secureRandom } from '../../packages/server/src/random.ts'
import type { Mailbox } from '../../packages/server/src/store/mailboxes.ts'
import { openPostgresDatabase } from '../../packages/server/src/store/postgres-database.ts'
import { createSqlStore } from '../../packages/server/src/store/sql-store.ts'
import type { Store } from '../../packages/server/src/store/store.ts'

export const TEAMS = 200

export type MadeTeam = { domain: string; key: string; mailbox: Mailbox }

const making = { newId, now: Date.now, random: secureRandom, hashKey: hashApiKey }

export async function openStore(url: string): Promise<Store> {
  return createSqlStore(await openPostgresDatabase(url), { onError: (error) => console.error(error) })
}

/** Teams with a domain, a key and a mailbox each. Their names begin with the prefix. */
export async function makeTeams(store: Store, prefix: string, count = TEAMS): Promise<MadeTeam[]> {
  const teams: MadeTeam[] = []
  for (let number = 0; number < count; number++) teams.push(await makeTeam(store, `${prefix}-${number}`))
  return teams
}

async function makeTeam(store: Store, name: string): Promise<MadeTeam> {
  const domain = `${name}.example`
  const input = { name, domain, plan: 'enterprise' as const }
  const team = await createTeam({ store, rootDomain: 'root.example', ...making }, input)
  const { key } = await createKey({ store, ...making }, team, { name: 'Key', scope: 'api.full', mailbox: null })
  const at = Date.now()
  const mailbox = { id: newId(at), teamId: team.id, name: 'qa', domain, createdAt: at, updatedAt: at }
  await store.addMailbox(mailbox, null)
  return { domain, key, mailbox }
}
