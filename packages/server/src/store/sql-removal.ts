import { returning, type Database } from './database.ts'
import { IS_READ, MARK_OF_MESSAGE } from './sql-read-marks.ts'
import { sql } from './sql.ts'
import type { ObjectName } from './messages.ts'
import type { Store } from './store.ts'
import { dropEmptyBlocks } from './text-block.ts'

type RemovalStore = Pick<
  Store,
  | 'hasSeen'
  | 'removeMessages'
  | 'expiredPositions'
  | 'positionsIn'
  | 'objectsLeft'
  | 'recordObjectsGone'
  | 'forgetRemoved'
  | 'dropEmptyBlocks'
>

export function removalStore({ dialect, read, write, writeFor }: Database): RemovalStore {
  return {
    async hasSeen(id) {
      const rows = await read(sql`
        select 1 from messages where id = ${id} union all select 1 from removed_messages where id = ${id}`)
      return rows.length > 0
    },

    async removeMessages(teamId, positions, at) {
      const chosen = sql`m.team_id = ${teamId} and ${dialect.isAmong(sql`m.position`, positions)}`
      const [, , removed] = await writeFor(
        teamId,
        sql`
          insert into removed_messages (id, domain, mailbox, removed_at, has_objects, team_id)
          select m.id, m.domain, m.object_mailbox, ${at}, 1, m.team_id from messages m where ${chosen}
          on conflict (id) do nothing`,
        // Messages of a mailbox that is being deleted were subtracted when it was hidden.
        sql`
          update teams as t
          set (message_count, read_count) = (
            select t.message_count - count(*), t.read_count - count(*) filter (where ${IS_READ} = 1)
            from messages m join mailboxes b on b.id = m.mailbox_id and b.removed_at is null ${MARK_OF_MESSAGE}
            where ${chosen})
          where t.id = ${teamId}`,
        returning<ObjectName>(
          sql`delete from messages as m where ${chosen} returning id, domain, object_mailbox as mailbox`,
        ),
      )
      return removed
    },

    async expiredPositions(teamId, { before, limit }) {
      const rows = await read<{ position: number }>(sql`
        select position from messages
        where team_id = ${teamId} and received_at < ${before}
        order by received_at
        limit ${limit}`)
      return rows.map(({ position }) => position)
    },

    async positionsIn(mailboxId, limit) {
      const rows = await read<{ position: number }>(
        sql`select position from messages where mailbox_id = ${mailboxId} limit ${limit}`,
      )
      return rows.map(({ position }) => position)
    },

    objectsLeft: ({ before, after, limit }) =>
      read<ObjectName>(sql`
        select id, domain, mailbox from removed_messages
        where has_objects = 1 and removed_at < ${before} and id > ${after ?? ''}
        order by id
        limit ${limit}`),

    async recordObjectsGone(ids) {
      await write(sql`update removed_messages set has_objects = 0 where ${dialect.isAmong(sql`id`, ids)}`)
    },

    async forgetRemoved({ before, limit }) {
      const [forgotten] = await write(sql`
        delete from removed_messages
        where id in (select id from removed_messages where removed_at < ${before} and has_objects = 0 limit ${limit})`)
      return forgotten
    },

    async dropEmptyBlocks(teamId, limit) {
      const [dropped] = await write(dropEmptyBlocks(teamId, limit))
      return dropped
    },
  }
}
