import { required, returning, type Database, type Required } from './database.ts'
import { sql, type Sql } from './sql.ts'

/** A mailbox's name on a domain. */
export type Name = { domain: string; name: string; teamId: string; mailboxId: string }

/** Whether the domain is the team's own. There it may use every name, so it needs no claim. */
export function isOwnDomain(teamId: string, domain: string): Sql {
  return sql`exists (select 1 from teams where id = ${teamId} and domain = ${domain})`
}

/** Claims a name on a domain that no team owns. Claims nothing if the name is held or it is not allowed. */
export function claimName({ domain, name, teamId, mailboxId }: Name, isAllowed: Sql): Required<Sql> {
  return required(sql`
    insert into root_names (domain, name, team_id, mailbox_id)
    select ${domain}, ${name}, ${teamId}, ${mailboxId}
    where not exists (select 1 from teams where domain = ${domain}) and ${isAllowed}
    on conflict do nothing`)
}

/** Releases claims, and remembers who had the names. `which` is a condition on `root_names`. */
export function releaseNames(which: Sql, at: number): [remember: Sql, release: Sql] {
  return [
    sql`
      insert into former_holders (domain, name, team_id, left_at)
      select domain, name, team_id, ${at} from root_names where ${which}
      on conflict (domain, name, team_id) do update set left_at = excluded.left_at`,
    sql`delete from root_names where ${which}`,
  ]
}

/** Remembers that a team received mail for an address, or for a whole domain if the name is empty. */
export function rememberHolder(holder: { domain: string; name: string; teamId: string }, at: number): Sql {
  return sql`
    insert into former_holders (domain, name, team_id, left_at)
    values (${holder.domain}, ${holder.name}, ${holder.teamId}, ${at})
    on conflict (domain, name, team_id) do update set left_at = excluded.left_at`
}

/** Before a team gets another domain, or none. */
export function rememberDomainOf(teamId: string, at: number): Sql {
  return sql`
    insert into former_holders (domain, name, team_id, left_at)
    select domain, '', id, ${at} from teams where id = ${teamId} and domain is not null
    on conflict (domain, name, team_id) do update set left_at = excluded.left_at`
}

/** The mailboxes of other teams on a domain that now belongs to this team lose their names. */
export function takeDomain(teamId: string, domain: string, at: number): Sql[] {
  return releaseNames(sql`domain = ${domain} and team_id <> ${teamId}`, at)
}

/**
 * Releases a claim that no mailbox uses. A claim and its mailbox are written together; only a mailbox that was refused after
 * its claim leaves one behind. False if a mailbox uses it.
 */
export async function releaseUnused(
  { writeFor }: Pick<Database, 'writeFor'>,
  { domain, name, teamId, mailboxId }: Name,
): Promise<boolean> {
  const isUnused = returning<object>(sql`
    select 1 where not exists (
      select 1 from mailboxes
      where team_id = ${teamId} and id = ${mailboxId} and name = ${name} and domain = ${domain} and is_caught = 0
        and removed_at is null)`)
  const [, released] = await writeFor(
    teamId,
    required(isUnused),
    sql`delete from root_names where domain = ${domain} and name = ${name} and mailbox_id = ${mailboxId}`,
  )
  return released !== undefined
}

/** Who holds a name by a claim, if anyone. Releases a claim that no mailbox uses. */
export async function findClaim(
  database: Pick<Database, 'read' | 'writeFor'>,
  { domain, name }: Pick<Name, 'domain' | 'name'>,
): Promise<Name | null> {
  const [claim] = await database.read<Name>(sql`
    select domain, name, team_id as "teamId", mailbox_id as "mailboxId"
    from root_names
    where domain = ${domain} and name = ${name}`)
  return !claim || (await releaseUnused(database, claim)) ? null : claim
}
