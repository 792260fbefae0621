import { required, type Database } from './database.ts'
import type { ChangedMark, MailboxCount, MarkState, ReadMarkStore } from './read-marks.ts'
import { sql, type Sql } from './sql.ts'
import { IN_MAILBOX, MESSAGES } from './sql-tables.ts'

/** Whether message `m` of team `t` is read: 1 or 0. `r` is its mark, if there is one. */
export const IS_READ = sql`coalesce(r.is_read, case when m.position <= t.read_through then 1 else 0 end)`

/** The same for a message `m` of a team, without joins. */
export function isUnreadIn(teamId: string): Sql {
  return sql`coalesce(
    (select is_read from read_marks where team_id = m.team_id and position = m.position),
    case when m.position <= (select read_through from team_state where team_id = ${teamId}) then 1 else 0 end) = 0`
}

export const MARK_OF_MESSAGE = sql`left join read_marks r on r.team_id = m.team_id and r.position = m.position`

export function readMarkStore({ dialect, read, writeFor }: Database): ReadMarkStore {
  return {
    async markMessages(teamId, positions, isRead) {
      const mark = sql`
        insert into read_marks (team_id, position, is_read, version)
        select m.team_id, m.position, ${isRead ? 1 : 0}, t.mark_version + 1
        from ${MESSAGES} join team_state t on t.team_id = m.team_id ${MARK_OF_MESSAGE}
        where ${dialect.atPositions(sql`m`, teamId, positions)}
          and ${IS_READ} = ${isRead ? 0 : 1}
        on conflict (team_id, position) do update set is_read = excluded.is_read, version = excluded.version`
      const changed = sql`
        (select count(*) from read_marks where team_id = ${teamId} and version = team_state.mark_version + 1)`
      const [marked] = await writeFor(
        teamId,
        required(mark),
        sql`
          update team_state
          set read_count = ${isRead ? sql`read_count + ${changed}` : sql`read_count - ${changed}`},
              mark_version = mark_version + 1
          where team_id = ${teamId}`,
      )
      return marked
    },

    async markAllRead(teamId, upTo) {
      await writeFor(
        teamId,
        required(sql`
          update team_state
          set read_through = case when read_through > ${upTo} then read_through else ${upTo} end,
              mark_version = mark_version + 1
          where team_id = ${teamId}
            and (read_through < ${upTo}
                 or exists (select 1 from read_marks where team_id = ${teamId} and is_read = 0))`),
        // Changed instead of deleted, so that followers learn of it also if `read_through` stays. Served by read_marks_by_state.
        sql`
          update read_marks
          set is_read = 1, version = (select mark_version from team_state where team_id = ${teamId})
          where team_id = ${teamId} and is_read = 0 and position <= ${upTo}`,
        // Counted again instead of added to: this corrects a count that an older version has left wrong. Only later messages and the
        // exceptions can be unread, so this reads few rows.
        sql`
          update team_state
          set read_count = message_count
            - (select count(*) from ${MESSAGES} ${MARK_OF_MESSAGE}
               where m.team_id = ${teamId} and m.position > team_state.read_through and coalesce(r.is_read, 0) = 0)
            - (select count(*) from read_marks x join messages m on m.team_id = x.team_id and m.position = x.position
                 ${IN_MAILBOX}
               where x.team_id = ${teamId} and x.is_read = 0 and x.position <= team_state.read_through)
          where team_id = ${teamId}`,
      )
    },

    async advanceReadThrough(teamId, { step, upTo, unreadMax }) {
      const next = sql`case when read_through + ${step} > ${upTo} then ${upTo} else read_through + ${step} end`
      // The messages that the position passes and that stay unread.
      const passed = sql`
        from ${MESSAGES} join team_state t on t.team_id = m.team_id ${MARK_OF_MESSAGE}
        where m.team_id = ${teamId} and m.position > t.read_through and m.position <= ${next}
          and coalesce(r.is_read, 0) = 0`
      const [advanced] = await writeFor(
        teamId,
        required(sql`
          update team_state set mark_version = mark_version + 1
          where team_id = ${teamId} and read_through < ${upTo} and (select count(*) ${passed}) <= ${unreadMax}`),
        sql`
          insert into read_marks (team_id, position, is_read, version)
          select m.team_id, m.position, 0, t.mark_version ${passed}
          on conflict (team_id, position) do nothing`,
        sql`update team_state set read_through = ${next} where team_id = ${teamId}`,
        // Followers take all messages up to the position as read, except for those with a later mark.
        sql`
          update read_marks set version = (select mark_version from team_state where team_id = ${teamId})
          where team_id = ${teamId} and is_read = 0`,
      )
      return advanced === 1
    },

    async readAmong(teamId, positions) {
      const rows = await read<{ position: number }>(sql`
        select m.position from messages m join team_state t on t.team_id = m.team_id ${MARK_OF_MESSAGE}
        where ${dialect.atPositions(sql`m`, teamId, positions)} and ${IS_READ} = 1`)
      return rows.map(({ position }) => position)
    },

    async markState(teamId) {
      const [state] = await read<MarkState>(sql`
        select mark_version as version, read_through as "readThrough" from team_state where team_id = ${teamId}`)
      return state ?? { version: 0, readThrough: 0 }
    },

    async changedMarks(teamId, { after, limit }) {
      const rows = await read<Omit<ChangedMark, 'isRead'> & { isRead: number }>(sql`
        select m.id, r.is_read as "isRead"
        from read_marks r join messages m on m.team_id = r.team_id and m.position = r.position
        where r.team_id = ${teamId} and r.version > ${after}
        order by r.version ${dialect.limit(limit)}`)
      return rows.map(({ id, isRead }) => ({ id, isRead: isRead === 1 }))
    },

    async countUnread({ teamId, oldestReceivedAt }) {
      const [row] = await read<{ count: number }>(sql`
        select t.message_count - t.read_count - (select count(*) from ${MESSAGES} ${MARK_OF_MESSAGE}
                                 where m.team_id = ${teamId} and m.received_at < ${oldestReceivedAt}
                                   and ${IS_READ} = 0) as count
        from team_state t where t.team_id = ${teamId}`)
      // Never negative. An older version that deleted messages, while replicas were updated one by one, left `read_count` too
      // high until all messages are marked as read.
      return Math.max(0, row?.count ?? 0)
    },

    // Served by messages_by_mailbox alone.
    async countInMailbox({ teamId, id }, { since, limit }) {
      const [row] = await read<MailboxCount>(sql`
        select count(*) as total, count(*) filter (where ${IS_READ} = 0) as unread
        from (select team_id, position from messages
              where team_id = ${teamId} and mailbox_id = ${id} and received_at >= ${since}
              order by received_at desc, position desc
              limit ${limit}) m
             cross join (select read_through from team_state where team_id = ${teamId}) t
             ${MARK_OF_MESSAGE}`)
      return row!
    },
  }
}
