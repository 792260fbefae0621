import { fold } from '../domain/fold.ts'
import { required, type Database } from './database.ts'
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

export function mailboxStore(
  { read, write, writeFor }: Database,
  textIndex: Pick<TextIndex, 'indexSoon'>,
): MailboxStore {
  async function findBy(condition: Sql): Promise<Mailbox | null> {
    const [row] = await read<MailboxRow>(
      sql`select ${COLUMNS} from mailboxes b where ${condition} and removed_at is null`,
    )
    return row ? readMailbox(row) : null
  }

  return {
    async addMailbox(mailbox, mailboxesMax, teamDomain) {
      const { id, teamId, name, domain, createdAt, updatedAt, isCaught } = mailbox
      const isOnDomain = teamDomain === undefined ? null : hasDomain(teamId, teamDomain)
      const [, added] = await writeFor(
        teamId,
        releaseName({ teamId, domain }, sql`name = ${name}`),
        sql`
        insert into mailboxes (id, team_id, name, domain, created_at, updated_at)
        select ${id}, ${teamId}, ${name}, ${isCaught ? `${domain} ${teamId}` : domain}, ${createdAt}, ${updatedAt}
        where ${mailboxesMax === null ? sql`true` : sql`${mailboxesMax} > ${countOf(teamId)}`}
          and ${isOnDomain ?? sql`true`}
        on conflict do nothing`,
      )
      if (added === 1) return mailbox
      if (isOnDomain && (await read(sql`select 1 where ${isOnDomain}`)).length === 0) return 'moved'
      if (mailboxesMax === null || (await findBy(haveName({ domain, teamId, name })))) return 'taken'
      const [row] = await read<{ count: number }>(sql`select ${countOf(teamId)} as count`)
      return row!.count >= mailboxesMax ? 'limit' : 'taken'
    },

    async listMailboxes(teamId) {
      const rows = await read<MailboxRow>(sql`
        select ${COLUMNS} from mailboxes b
        where team_id = ${teamId} and removed_at is null
        order by updated_at desc, name`)
      return rows.map(readMailbox)
    },

    findMailbox: ({ domain, name }) => findBy(sql`domain = ${domain} and name = ${name}`),

    findTeamMailbox: ({ teamId, ...which }) =>
      findBy(sql`team_id = ${teamId} and ${'id' in which ? sql`id = ${which.id}` : sql`name = ${which.name}`}`),

    async settleMailbox(mailbox, { domain, teamDomain }) {
      const { id, teamId, name } = mailbox
      const isHeld = sql`select 1 from mailboxes where id <> ${id} and name = ${name} and domain = ${domain}`
      const [, settled] = await writeFor(
        teamId,
        releaseName({ teamId, domain }, sql`name = ${name}`),
        sql`
        update mailboxes set domain = ${domain}
        where id = ${id} and name = ${name} and removed_at is null and ${hasDomain(teamId, teamDomain)}
          and not exists (${isHeld})`,
      )
      if (settled === 1) return findBy(sql`id = ${id}`)
      return (await read(isHeld)).length > 0 ? 'taken' : null
    },

    async renameMailbox(mailbox, { name, at }) {
      const { id, teamId, domain, name: oldName } = mailbox
      const rename = sql`
        update mailboxes set name = ${name}, updated_at = ${at}
        where id = ${id} and name = ${oldName} and removed_at is null
          and not exists (select 1 from mailboxes where id <> ${id} and ${haveName({ domain, teamId, name })})`
      const rest = [renameInMessages(id, oldName, name), forgetIndexOf(teamId, id)]
      const [, renamed] = await writeFor(
        teamId,
        releaseName({ teamId, domain }, sql`name = ${name}`),
        required(rename),
        ...rest,
      )
      if (renamed === 1) {
        textIndex.indexSoon(teamId)
        return { ...mailbox, name, updatedAt: at }
      }
      if (await findBy(sql`team_id = ${teamId} and name = ${name}`)) return 'used'
      return (await findBy(sql`domain = ${domain} and name = ${name}`)) ? 'taken' : null
    },

    async hideMailbox({ teamId, id }, at) {
      // Longer than any mailbox name, so it conflicts with none.
      const hide = sql`
        update mailboxes set name = id || ' ' || id, removed_at = ${at}
        where id = ${id} and team_id = ${teamId} and removed_at is null`
      const count = sql`
        update teams as t
        set (message_count, read_count) = (
          select t.message_count - count(*), t.read_count - count(*) filter (where ${IS_READ} = 1)
          from messages m ${MARK_OF_MESSAGE}
          where m.mailbox_id = ${id})
        where t.id = ${teamId}`
      const [hidden] = await writeFor(teamId, required(hide), count)
      return hidden === 1
    },

    removedMailboxes: () =>
      read(sql`select id, team_id as "teamId" from mailboxes where removed_at is not null order by removed_at, id`),

    async dropMailbox(id) {
      await write(sql`
        delete from mailboxes
        where id = ${id} and removed_at is not null
          and not exists (select 1 from messages where mailbox_id = ${id})`)
    },
  }
}

/**
 * Columns of a mailbox `b`. The domain of a caught mailbox has a space and the team's id appended. No real domain
 * contains a space, so it conflicts with no other mailbox.
 */
export const MAILBOX_DOMAIN = sql`replace(b.domain, ' ' || b.team_id, '')`
export const IS_CAUGHT = sql`case when b.domain like '% %' then 1 else 0 end`

const COLUMNS = sql`
  b.id, b.team_id as "teamId", b.name, ${MAILBOX_DOMAIN} as domain, b.created_at as "createdAt",
  b.updated_at as "updatedAt", ${IS_CAUGHT} as "isCaught"`

export type MailboxRow = Omit<Mailbox, 'isCaught'> & { isCaught: number }

export function readMailbox({ isCaught, ...mailbox }: MailboxRow): Mailbox {
  return isCaught === 1 ? { ...mailbox, isCaught: true } : mailbox
}

/** Mailboxes of other teams on this team's own domain were caught. Those teams keep them, but lose the name. */
export function releaseName({ teamId, domain }: { teamId: string; domain: string }, which: Sql): Sql {
  return sql`
    update mailboxes set domain = domain || ' ' || team_id
    where domain = ${domain} and team_id <> ${teamId} and ${which}
      and exists (select 1 from teams where id = ${teamId} and domain = ${domain})`
}

function countOf(teamId: string): Sql {
  return sql`(select count(*) from mailboxes where team_id = ${teamId} and removed_at is null)`
}

/** Needs the team's lock, because the team may be moving to another domain. */
function hasDomain(teamId: string, domain: string | null): Sql {
  return sql`exists (select 1 from teams where id = ${teamId} and domain is not distinct from ${domain})`
}

function haveName({ domain, teamId, name }: { domain: string; teamId: string; name: string }): Sql {
  return sql`name = ${name} and (domain = ${domain} or team_id = ${teamId})`
}

/** Changes only the name at the start. Everything else that another worker may have sent stays. */
function renameInMessages(mailboxId: string, oldName: string, name: string): Sql {
  const renamed = (column: Sql, from: string, to: string) => sql`
    case when substr(${column}, 1, length(${from})) = ${from} then ${to} || substr(${column}, length(${from}) + 1)
         else ${column} end`
  return sql`
    update messages
    set mailbox_with_tag = ${renamed(sql`mailbox_with_tag`, oldName, name)},
        mailbox_with_tag_folded = ${renamed(sql`mailbox_with_tag_folded`, fold(oldName), fold(name))}
    where mailbox_id = ${mailboxId}`
}
