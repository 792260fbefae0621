import { required, type Database } from './database.ts'
import type { MessageTagStore, TaggedMessage } from './message-tags.ts'
import { sql } from './sql.ts'
import { MESSAGES } from './sql-tables.ts'

export function messageTagStore({ dialect, read, lookup, writeFor }: Database): MessageTagStore {
  return {
    async setTags(teamId, messages, ifVersion) {
      const isAsRead = ifVersion === null ? sql`` : sql`and tag_version = ${ifVersion}`
      const [isCounted] = await writeFor(
        teamId,
        required(sql`
          update team_state set tag_version = tag_version + 1 where team_id = ${teamId} ${isAsRead}`),
        ...byTags(messages).map(
          ([tags, positions]) => sql`
          insert into message_tags (team_id, position, tags, version)
          select m.team_id, m.position, ${tags}, t.tag_version
          from ${MESSAGES} join team_state t on t.team_id = m.team_id
          where ${dialect.atPositions(sql`m`, teamId, positions)}
          on conflict (team_id, position) do update set tags = excluded.tags, version = excluded.version`,
        ),
      )
      return isCounted === 1
    },

    async tagsAmong(teamId, positions) {
      if (positions.length === 0) return []
      const rows = await lookup<Row>(sql`
        select position, tags from message_tags m
        where ${dialect.atPositions(sql`m`, teamId, positions)}`)
      return rows.map(readTags)
    },

    // Served by message_tags_by_version.
    async changedTags(teamId, { after, limit }) {
      const rows = await read<Row & { version: number }>(sql`
        select position, tags, version from message_tags
        where team_id = ${teamId} and version >= ${after.version}
          and (version > ${after.version} or position > ${after.position})
        order by version, position ${dialect.limit(limit)}`)
      return rows.map((row) => ({ ...readTags(row), version: row.version }))
    },
  }
}

type Row = { position: number; tags: string }

function readTags({ position, tags }: Row): TaggedMessage {
  return { position, tags: JSON.parse(tags) }
}

/** Most messages of a change get the same tags. */
function byTags(messages: TaggedMessage[]): [string, number[]][] {
  return Array.from(
    Map.groupBy(messages, ({ tags }) => JSON.stringify(tags)),
    ([tags, group]) => [tags, group.map(({ position }) => position)],
  )
}
