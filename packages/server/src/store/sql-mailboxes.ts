import { fold } from '../domain/fold.ts'
import { required, type Database } from './database.ts'
import { claimName, findClaim, isOwnDomain, releaseNames, releaseUnused, rememberHolder } from './sql-names.ts'
import { IS_READ, MARK_OF_MESSAGE } from './sql-read-marks.ts'
import { sql, type Sql } from './sql.ts'
import type { Mailbox } from './mailboxes.ts'
import type { Store } from './store.ts'
import { forgetIndexOf } from './text-block.ts'
import type { TextIndex } from './text-index.ts'

type MailboxStore = Pick<
  Store,
  | 'addMailbox'
  | 'listMailboxes'
  | 'findMailbox'
  | 'findTeamMailbox'
  | 'settleMailbox'
  | 'renameMailbox'
  | 'hideMailbox'
  | 'removedMailboxes'
  | 'dropMailbox'
>

export function mailboxStore(database: Database, textIndex: Pick<TextIndex, 'indexSoon'>): MailboxStore {
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

  /** Runs changes of a mailbox that need its name: on the team's own domain others lose it, elsewhere it is claimed. */
  async function withName(
    { id: mailboxId, teamId }: Pick<Mailbox, 'id' | 'teamId'>,
    { domain, name, at }: { domain: string; name: string; at: number },
    { isAllowed, change, rest = [] }: { isAllowed: Sql; change: (isAllowed: Sql) => Sql; rest?: Sql[] },
    isAgain = false,
  ): Promise<'changed' | 'held' | 'refused'> {
    const claim = { domain, name, teamId, mailboxId }
    const isOwn = isOwnDomain(teamId, domain)
    if (await isTrue(isOwn)) {
      const others = sql`domain = ${domain} and name = ${name} and team_id <> ${teamId} and ${isOwn}`
      const changed = required(change(sql`${isAllowed} and ${isOwn}`))
      const results = await writeFor(teamId, ...releaseNames(others, at), changed, ...rest)
      return results[2] === 1 ? 'changed' : 'refused'
    }
    const [claimed, changed] = await writeFor(teamId, claimName(claim, isAllowed), required(change(isAllowed)), ...rest)
    if (changed === 1) return 'changed'
    if (claimed === 1) await releaseUnused(database, claim)
    if (claimed === 1) return 'refused'
    if (await findClaim(database, claim)) return 'held'
    // The claim in the way was unused, or has just been released.
    if (isAgain) return 'refused'
    return withName({ id: mailboxId, teamId }, { domain, name, at }, { isAllowed, change, rest }, true)
  }

  return {
    async addMailbox(mailbox, mailboxesMax, teamDomain) {
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
        const [added] = await writeFor(teamId, required(add(isAllowed)), remember)
        if (added === 1) return mailbox
      } else if ((await withName(mailbox, { domain, name, at: createdAt }, { isAllowed, change: add })) === 'changed') {
        return mailbox
      }
      if (teamDomain !== undefined && !(await isTrue(isAllowed))) return 'moved'
      if (mailboxesMax === null || (await findIn(teamId, sql`b.name = ${name}`))) return 'taken'
      if (await findHolder({ domain, name })) return 'taken'
      const [row] = await read<{ count: number }>(sql`select ${countOf(teamId)} as count`)
      return row!.count >= mailboxesMax ? 'limit' : 'taken'
    },

    async listMailboxes(teamId) {
      const rows = await read<MailboxRow>(sql`
        select ${MAILBOX} from mailboxes b
        where b.team_id = ${teamId} and b.removed_at is null
        order by b.updated_at desc, b.name`)
      return rows.map(readMailbox)
    },

    findMailbox: findHolder,

    findTeamMailbox: ({ teamId, ...which }) =>
      findIn(teamId, 'id' in which ? sql`b.id = ${which.id}` : sql`b.name = ${which.name}`),

    async settleMailbox(mailbox, { domain, teamDomain, at }) {
      const { id, teamId, name } = mailbox
      const isAllowed = hasDomain(teamId, teamDomain)
      const settle = (isAllowedNow: Sql) => sql`
        update mailboxes set domain = ${domain}, is_caught = 0
        where team_id = ${teamId} and id = ${id} and name = ${name} and removed_at is null and ${isAllowedNow}`
      const outcome = await withName(mailbox, { domain, name, at }, { isAllowed, change: settle })
      if (outcome === 'changed') return findIn(teamId, sql`b.id = ${id}`)
      return outcome === 'held' ? 'taken' : null
    },

    async renameMailbox(mailbox, { name, at }) {
      const { isCaught: _, ...settled } = mailbox
      const { id, teamId, domain, name: oldName } = mailbox
      const rename = (isAllowed: Sql) => sql`
        update mailboxes set name = ${name}, domain = ${domain}, is_caught = 0, updated_at = ${at}
        where team_id = ${teamId} and id = ${id} and name = ${oldName} and removed_at is null and ${isAllowed}
          and not exists (select 1 from mailboxes where team_id = ${teamId} and name = ${name})`
      const rest = [
        ...releaseNames(sql`team_id = ${teamId} and mailbox_id = ${id} and name = ${oldName}`, at),
        renameInMessages({ teamId, id, oldName, name }),
        forgetIndexOf(teamId, id),
      ]
      const outcome = await withName(mailbox, { domain, name, at }, { isAllowed: sql`true`, change: rename, rest })
      if (outcome === 'changed') {
        textIndex.indexSoon(teamId)
        return { ...settled, name, updatedAt: at }
      }
      if (await findIn(teamId, sql`b.name = ${name}`)) return 'used'
      return outcome === 'held' ? 'taken' : null
    },

    async hideMailbox({ teamId, id }, at) {
      // Longer than any mailbox name, so it conflicts with none.
      const hide = sql`
        update mailboxes set name = id || ' ' || id, removed_at = ${at}
        where team_id = ${teamId} and id = ${id} and removed_at is null`
      const count = sql`
        update team_state as s
        set message_count = s.message_count - c.total, read_count = s.read_count - c.read
        from (select count(*) as total, count(*) filter (where ${IS_READ} = 1) as read
              from messages m join team_state t on t.team_id = m.team_id ${MARK_OF_MESSAGE}
              where m.team_id = ${teamId} and m.mailbox_id = ${id}) c
        where s.team_id = ${teamId}`
      const [hidden] = await writeFor(
        teamId,
        required(hide),
        count,
        ...releaseNames(sql`team_id = ${teamId} and mailbox_id = ${id}`, at),
      )
      return hidden === 1
    },

    // Finds teams: each is then emptied on its own.
    removedMailboxes: () =>
      read(sql`select id, team_id as "teamId" from mailboxes where removed_at is not null order by removed_at, id`),

    async dropMailbox({ teamId, id }) {
      await writeFor(
        teamId,
        sql`
        delete from mailboxes
        where team_id = ${teamId} and id = ${id} and removed_at is not null
          and not exists (select 1 from messages where team_id = ${teamId} and mailbox_id = ${id})`,
      )
    },
  }
}

/** Whether mailbox `b` has no name that others must respect: mail created it, or the domain belongs to another team now. */
export const IS_CAUGHT = sql`
  case when b.is_caught = 1
         or (not exists (select 1 from root_names r where r.domain = b.domain and r.name = b.name and r.mailbox_id = b.id)
             and not exists (select 1 from teams o where o.id = b.team_id and o.domain = b.domain))
       then 1 else 0 end`

/**
 * The domain of a mailbox `b`. Until an upgrade of PostgreSQL is finished, that of a caught mailbox has a space and the team's
 * id appended, for servers of the previous version. So a caught mailbox matches no domain there.
 */
export const MAILBOX_DOMAIN = sql`replace(b.domain, ' ' || b.team_id, '')`

const MAILBOX = sql`
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
function hasDomain(teamId: string, domain: string | null): Sql {
  return sql`exists (select 1 from teams where id = ${teamId} and domain is not distinct from ${domain})`
}

/** Changes only the name at the start. Everything else that another worker may have sent stays. */
function renameInMessages({ teamId, id, oldName, name }: Record<'teamId' | 'id' | 'oldName' | 'name', string>): Sql {
  const renamed = (column: Sql, from: string, to: string) => sql`
    case when substr(${column}, 1, length(${from})) = ${from} then ${to} || substr(${column}, length(${from}) + 1)
         else ${column} end`
  return sql`
    update messages
    set mailbox_with_tag = ${renamed(sql`mailbox_with_tag`, oldName, name)},
        mailbox_with_tag_folded = ${renamed(sql`mailbox_with_tag_folded`, fold(oldName), fold(name))}
    where team_id = ${teamId} and mailbox_id = ${id}`
}
