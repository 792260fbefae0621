import { returning, type Database } from './database.ts'
import { IS_READ, MARK_OF_MESSAGE } from './sql-read-marks.ts'
import { sql } from './sql.ts'
import { IN_MAILBOX } from './sql-tables.ts'
import type { ObjectName } from './messages.ts'
import type { Store } from './store.ts'
import { dropEmptyBlocks } from './text-block.ts'

type RemovalStore = Pick<
  Store,
  | 'hasSeen'
  | 'removeMessages'
  | 'expiredPositions'
  | 'positionsIn'
  | 'teamsWithObjectsLeft'
  | 'teamsWithRemoved'
  | 'objectsLeft'
  | 'recordObjectsGone'
  | 'forgetRemoved'
  | 'dropEmptyBlocks'
>

/** The team of ids from before they had one. */
const NO_TEAM = ''

export function removalStore({ dialect, read, write, writeFor }: Database): RemovalStore {
  return {
    async hasSeen({ teamId, id }) {
      const rows = await read(sql`
        select 1 from messages where team_id = ${teamId} and id = ${id}
        union all select 1 from removed_messages where team_id = ${teamId} and id = ${id}`)
      return rows.length > 0
    },

    async removeMessages(teamId, positions, at) {
      const chosen = dialect.atPositions(sql`m`, teamId, positions)
      const [, , removed] = await writeFor(
        teamId,
        sql`
          insert into removed_messages (team_id, id, domain, mailbox, removed_at, has_objects)
          select m.team_id, m.id, m.domain, m.object_mailbox, ${at}, 1 from messages m where ${chosen}
          on conflict (team_id, id) do nothing`,
        // Messages of a mailbox that is being deleted were subtracted when it was hidden.
        sql`
          update team_state as s
          set message_count = s.message_count - c.total, read_count = s.read_count - c.read
          from (select count(*) as total, count(*) filter (where ${IS_READ} = 1) as read
                from messages m ${IN_MAILBOX} join team_state t on t.team_id = m.team_id ${MARK_OF_MESSAGE}
                where ${chosen}) c
          where s.team_id = ${teamId}`,
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

    async positionsIn({ teamId, id }, limit) {
      const rows = await read<{ position: number }>(
        sql`select position from messages where team_id = ${teamId} and mailbox_id = ${id} limit ${limit}`,
      )
      return rows.map(({ position }) => position)
    },

    // Served by removed_messages_with_objects, which has few rows.
    async teamsWithObjectsLeft(before) {
      const rows = await read<{ teamId: string }>(sql`
        select distinct team_id as "teamId" from removed_messages where has_objects = 1 and removed_at < ${before}`)
      return rows.map(({ teamId }) => teamId)
    },

    // One step in the index for each team, because there may be millions of ids. A deleted team is not in `teams`.
    async teamsWithRemoved() {
      const teamIds = [NO_TEAM]
      for (;;) {
        const [next] = await read<{ teamId: string | null }>(
          sql`select min(team_id) as "teamId" from removed_messages where team_id > ${teamIds.at(-1)!}`,
        )
        if (!next?.teamId) return teamIds
        teamIds.push(next.teamId)
      }
    },

    objectsLeft: (teamId, { before, after, limit }) =>
      read<ObjectName>(sql`
        select id, domain, mailbox from removed_messages
        where team_id = ${teamId} and has_objects = 1 and removed_at < ${before} and id > ${after ?? ''}
        order by id
        limit ${limit}`),

    async recordObjectsGone(teamId, ids) {
      await write(sql`
        update removed_messages set has_objects = 0
        where team_id = ${teamId} and ${dialect.isAmong(sql`id`, ids)}`)
    },

    async forgetRemoved(teamId, { before, limit }) {
      const [forgotten] = await write(sql`
        delete from removed_messages
        where team_id = ${teamId}
          and id in (select id from removed_messages
                     where team_id = ${teamId} and removed_at < ${before} and has_objects = 0
                     limit ${limit})`)
      return forgotten
    },

    async dropEmptyBlocks(teamId, limit) {
      const [dropped] = await write(dropEmptyBlocks(teamId, limit))
      return dropped
    },
  }
}
