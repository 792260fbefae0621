import { required, toResults, type Database, type Results, type Write } from './database.ts'
import type { Mailbox } from './mailboxes.ts'
import { claimName, findClaim, isOwnDomain, releaseNames, releaseUnused, rememberHolder } from './sql-names.ts'
import { sql, type Sql } from './sql.ts'

/** How a new mailbox may be added: see `addMailbox` of the store. */
type Limits = { mailboxesMax: number | null; teamDomain: string | null | undefined }

/** What gives a mailbox its name, in one transaction with whatever else depends on it. */
export function mailboxNames(database: Database) {
  const { read, writeFor } = database

  async function isTrue(condition: Sql): Promise<boolean> {
    return (await read(sql`select 1 where ${condition}`)).length > 0
  }

  async function findIn(teamId: string, condition: Sql): Promise<Mailbox | null> {
    const [row] = await read<MailboxRow>(
      sql`select ${MAILBOX} from mailboxes b where b.team_id = ${teamId} and ${condition} and b.removed_at is null`,
    )
    return row ? readMailbox(row) : null
  }

  /** The mailbox that receives mail for the name. */
  async function findHolder({ domain, name }: { domain: string; name: string }): Promise<Mailbox | null> {
    const [owner] = await read<{ id: string }>(sql`select id from teams where domain = ${domain}`)
    if (owner) return findIn(owner.id, sql`b.name = ${name} and b.domain = ${domain} and b.is_caught = 0`)
    const claim = await findClaim(database, { domain, name })
    return claim && findIn(claim.teamId, sql`b.id = ${claim.mailboxId}`)
  }

  /**
   * Runs changes of a mailbox that need its name: on the team's own domain others lose it, elsewhere it is claimed. `rest` runs in
   * the same transaction, but only if the mailbox was changed.
   */
  async function withName<Rest extends Write[]>(
    { id: mailboxId, teamId }: Pick<Mailbox, 'id' | 'teamId'>,
    { domain, name, at }: { domain: string; name: string; at: number },
    { isAllowed, change, rest }: { isAllowed: Sql; change: (isAllowed: Sql) => Sql; rest: Rest },
    isAgain = false,
  ): Promise<{ rest: Results<Rest> } | 'held' | 'refused'> {
    const claim = { domain, name, teamId, mailboxId }
    const isOwn = isOwnDomain(teamId, domain)
    if (await isTrue(isOwn)) {
      const others = sql`domain = ${domain} and name = ${name} and team_id <> ${teamId} and ${isOwn}`
      const changed = required(change(sql`${isAllowed} and ${isOwn}`))
      const [, , isChanged, ...results] = await writeFor(teamId, ...releaseNames(others, at), changed, ...rest)
      return isChanged === 1 ? { rest: toResults(results) } : 'refused'
    }
    const claiming = claimName(claim, isAllowed)
    const [claimed, changed, ...results] = await writeFor(teamId, claiming, required(change(isAllowed)), ...rest)
    if (changed === 1) return { rest: toResults(results) }
    if (claimed === 1) await releaseUnused(database, claim)
    if (claimed === 1) return 'refused'
    if (await findClaim(database, claim)) return 'held'
    // The claim in the way was unused, or has just been released.
    if (isAgain) return 'refused'
    return withName({ id: mailboxId, teamId }, { domain, name, at }, { isAllowed, change, rest }, true)
  }

  /** Adds a mailbox. `rest` runs in the same transaction, but only if the mailbox was added. */
  async function addMailboxWith<Rest extends Write[]>(
    mailbox: Mailbox,
    { mailboxesMax, teamDomain }: Limits,
    rest: Rest,
  ): Promise<{ rest: Results<Rest> } | 'taken' | 'limit' | 'moved'> {
    const { id, teamId, name, domain, createdAt, updatedAt, isCaught } = mailbox
    const isAllowed = teamDomain === undefined ? sql`true` : hasDomain(teamId, teamDomain)
    const add = (isAllowedNow: Sql) => sql`
      insert into mailboxes (team_id, id, name, domain, is_caught, created_at, updated_at)
      select s.team_id, ${id}, ${name}, ${domain}, ${isCaught ? 1 : 0}, ${createdAt}, ${updatedAt}
      from team_state s
      where s.team_id = ${teamId}
        and ${mailboxesMax === null ? sql`true` : sql`${mailboxesMax} > ${countOf(teamId)}`} and ${isAllowedNow}
      on conflict do nothing`
    if (isCaught) {
      const remember = rememberHolder({ domain, name, teamId }, createdAt)
      const [added, , ...results] = await writeFor(teamId, required(add(isAllowed)), remember, ...rest)
      if (added === 1) return { rest: toResults(results) }
    } else {
      const added = await withName(mailbox, { domain, name, at: createdAt }, { isAllowed, change: add, rest })
      if (typeof added !== 'string') return added
    }
    if (teamDomain !== undefined && !(await isTrue(isAllowed))) return 'moved'
    if (mailboxesMax === null || (await findIn(teamId, sql`b.name = ${name}`))) return 'taken'
    if (await findHolder({ domain, name })) return 'taken'
    const [row] = await read<{ count: number }>(sql`select ${countOf(teamId)} as count`)
    return row!.count >= mailboxesMax ? 'limit' : 'taken'
  }

  return { addMailboxWith, findHolder, findIn, withName }
}

/** Whether mailbox `b` has no name that others must respect: mail created it, or the domain belongs to another team now. */
const IS_CAUGHT = sql`
  case when b.is_caught = 1
         or (not exists (select 1 from root_names r where r.domain = b.domain and r.name = b.name and r.mailbox_id = b.id)
             and not exists (select 1 from teams o where o.id = b.team_id and o.domain = b.domain))
       then 1 else 0 end`

/**
 * The domain of a mailbox `b`. Until an upgrade of PostgreSQL is finished, that of a caught mailbox has a space and the team's
 * id appended, for servers of the previous version. So a caught mailbox matches no domain there.
 */
export const MAILBOX_DOMAIN = sql`replace(b.domain, ' ' || b.team_id, '')`

export const MAILBOX = sql`
  b.id, b.team_id as "teamId", b.name, ${MAILBOX_DOMAIN} as domain, b.created_at as "createdAt",
  b.updated_at as "updatedAt",
  ${IS_CAUGHT} as "isCaught"`

export type MailboxRow = Omit<Mailbox, 'isCaught'> & { isCaught: number }

export function readMailbox({ isCaught, ...mailbox }: MailboxRow): Mailbox {
  return isCaught === 1 ? { ...mailbox, isCaught: true } : mailbox
}

function countOf(teamId: string): Sql {
  return sql`(select count(*) from mailboxes where team_id = ${teamId} and removed_at is null)`
}

/** Needs the team's lock, because the team may be moving to another domain. */
export function hasDomain(teamId: string, domain: string | null): Sql {
  return sql`exists (select 1 from teams where id = ${teamId} and domain is not distinct from ${domain})`
}
