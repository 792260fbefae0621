import { fold } from '../domain/fold.ts'
import { required, type Database } from './database.ts'
import { hasDomain, MAILBOX, mailboxNames, readMailbox, type MailboxRow } from './sql-mailbox-names.ts'
import { releaseNames } from './sql-names.ts'
import { IS_READ, MARK_OF_MESSAGE } from './sql-read-marks.ts'
import { removeScenariosOf } from './sql-scenarios.ts'
import { sql, type Sql } from './sql.ts'
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
  const { addMailboxWith, findHolder, findIn, withName } = mailboxNames(database)

  return {
    async addMailbox(mailbox, mailboxesMax, teamDomain) {
      const added = await addMailboxWith(mailbox, { mailboxesMax, teamDomain }, [])
      return typeof added === 'string' ? added : mailbox
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
      const settled = await withName(mailbox, { domain, name, at }, { isAllowed, change: settle, rest: [] })
      if (typeof settled !== 'string') return findIn(teamId, sql`b.id = ${id}`)
      return settled === 'held' ? 'taken' : null
    },

    async renameMailbox(mailbox, { name, at }) {
      const { isCaught: _, ...chosen } = mailbox
      const { id, teamId, domain, name: oldName } = mailbox
      const rename = (isAllowed: Sql) => sql`
        update mailboxes set name = ${name}, domain = ${domain}, is_caught = 0, updated_at = ${at}
        where team_id = ${teamId} and id = ${id} and name = ${oldName} and removed_at is null and ${isAllowed}
          and not exists (select 1 from mailboxes where team_id = ${teamId} and name = ${name})`
      const rest = [
        ...releaseNames(sql`team_id = ${teamId} and mailbox_id = ${id} and name = ${oldName}`, at),
        renameInMessages({ teamId, id, oldName, name }),
        forgetIndexOf(teamId, id),
        removeScenariosOf(teamId, sql`${oldName}`),
      ]
      const renamed = await withName(mailbox, { domain, name, at }, { isAllowed: sql`true`, change: rename, rest })
      if (typeof renamed !== 'string') {
        textIndex.indexSoon(teamId)
        return { ...chosen, name, updatedAt: at }
      }
      if (await findIn(teamId, sql`b.name = ${name}`)) return 'used'
      return renamed === 'held' ? 'taken' : null
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
      const nameNow = sql`
        (select name from mailboxes where team_id = ${teamId} and id = ${id} and removed_at is null)`
      const [, hidden] = await writeFor(
        teamId,
        // Before the name is gone.
        removeScenariosOf(teamId, nameNow),
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
