import { readFileSync } from 'node:fs'
import type { Client } from 'pg'
import type { OnMigration } from './migration-progress.ts'
import { fillRows } from './postgres-backfill.ts'
import { NEWEST_SCHEMA, readSchemaState, type SchemaState } from './postgres-schema.ts'
import { inShortTransaction } from './postgres-short-transaction.ts'
import { addKeys } from './postgres-upgrade-indexes.ts'

/** The schema that is upgraded in place, while servers of both schemas run. */
export const UPGRADED_SCHEMA = 10

/** The functions while servers of both schemas run. `in-place/011-serve.sql` adds the lock of the older ones. */
const SHARED_FUNCTIONS = '013-intake.sql'
/** The functions of the newest schema. The finish creates them again, without what older servers need. */
const FUNCTIONS = [SHARED_FUNCTIONS, '017-intake.sql']

const MAILBOXES_PER_STEP = 500

type Step = (client: Client, part: number, onMigration: OnMigration) => Promise<unknown>

/** Each records in `part` that it is done, or can be repeated. */
const STEPS: Step[] = [
  ...transactionsOf('in-place/011-expand.sql'),
  async (client, part, onMigration) => {
    await fillRows(client, onMigration)
    await addKeys(client, onMigration)
    await client.query(recordPart(part))
  },
  ...transactionsOf(SHARED_FUNCTIONS),
  ...transactionsOf('in-place/011-serve.sql'),
  ...transactionsOf('014-scenarios.sql'),
  ...transactionsOf('015-attempts.sql'),
  ...transactionsOf('016-message-tags.sql'),
]

/** Whether servers of both schemas can use the database. Only the finish is missing. */
export function isShared({ version, part }: SchemaState): boolean {
  return version === UPGRADED_SCHEMA && part === STEPS.length
}

/** Continues where an earlier attempt was interrupted. */
export async function upgradeInPlace(client: Client, onMigration: OnMigration): Promise<void> {
  await client.query('alter table schema_version add column if not exists part bigint not null default 0')
  const { part } = await readSchemaState(client)
  for (const [index, step] of STEPS.entries()) if (index >= part) await step(client, index + 1, onMigration)
}

/** Removes what only older servers need, so none of them may run. */
export async function finishUpgrade(client: Client): Promise<void> {
  await refuseOlderServers(client)
  const text = ['in-place/011-finish.sql', ...FUNCTIONS].map(textOf).join(';\n')
  await inShortTransaction(client, () =>
    client.query(`
      ${text};
      update schema_version set version = ${NEWEST_SCHEMA}, part = 1`),
  )
  await removeOldForm(client)
}

/** Whether the finish was interrupted after its large step. Servers can use the database meanwhile. */
export function isFormLeft({ version, part }: SchemaState): boolean {
  return version === NEWEST_SCHEMA && part > 0
}

/** Older servers appended the team to the domain of a caught mailbox. There may be many, so this is done in small steps. */
export async function removeOldForm(client: Client): Promise<void> {
  for (;;) {
    const { rowCount } = await inShortTransaction(client, () =>
      client.query(`
        update mailboxes b set domain = replace(b.domain, ' ' || b.team_id, '')
        from (select team_id, id from mailboxes where domain like '% %' limit ${MAILBOXES_PER_STEP}) next
        where b.team_id = next.team_id and b.id = next.id`),
    )
    if (rowCount === 0) break
  }
  await client.query('alter table schema_version drop column part')
}

async function refuseOlderServers(client: Client): Promise<void> {
  const addresses = await addressesOfOlderServers(client)
  if (addresses.length === 0) return
  throw new Error(
    `Servers of an older version are connected from ${addresses.join(', ')}. Stop them, then finish the upgrade again.`,
  )
}

/** Each server has one connection of this name. It bypasses a pooler, which would keep other connections of a server that has stopped. */
export async function addressesOfOlderServers(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ address: string }>(`
    select distinct coalesce(host(client_addr), 'a local socket') as address from pg_stat_activity
    where datname = current_database() and application_name = 'mailhatch feed'`)
  return rows.map(({ address }) => address)
}

function transactionsOf(name: string): Step[] {
  return textOf(name)
    .split('-- Next transaction.')
    .map(
      (text): Step =>
        (client, part) =>
          inShortTransaction(client, () => client.query(`${text}; ${recordPart(part)}`)),
    )
}

function recordPart(part: number): string {
  return `update schema_version set part = ${part}`
}

function textOf(name: string): string {
  return readFileSync(new URL(`./migrations-postgres/${name}`, import.meta.url), 'utf8')
}
