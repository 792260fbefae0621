import { returning, type Database } from './database.ts'
import { sql, type Sql } from './sql.ts'
import type { ApiKey, NewKey } from './mailboxes.ts'
import type { Store } from './store.ts'

type KeyStore = Pick<Store, 'addKey' | 'findKey' | 'listKeys' | 'removeKey' | 'rotateKey'>

export function keyStore({ read, write, writeFor }: Database): KeyStore {
  return {
    async addKey(key, keysMax = null) {
      const [added] = await writeFor(
        key.teamId,
        returning(sql`${insertKey(key, keysMax)} on conflict (hash) do nothing returning id`),
      )
      if (added.length === 1) return 'added'
      if (key.createdBy && (await read(creator(key))).length === 0) return 'creator left'
      return (await read(sql`select 1 from api_keys where hash = ${key.hash}`)).length > 0 ? 'taken' : 'limit'
    },

    async findKey({ teamId, id }) {
      const [row] = await read<KeyRow & { hash: string }>(
        sql`select ${KEY}, k.hash ${FROM_KEYS} where k.id = ${id} and k.team_id = ${teamId}`,
      )
      return row ? readKey(row) : null
    },

    async listKeys(teamId) {
      const whose = teamId === null ? sql`` : sql`where k.team_id = ${teamId}`
      const rows = await read<KeyRow>(sql`select ${KEY} ${FROM_KEYS} ${whose} order by k.created_at, k.id`)
      return rows.map(readKey)
    },

    async removeKey(id) {
      const [removed] = await write(sql`delete from api_keys where id = ${id}`)
      return removed === 1
    },

    async rotateKey(id, { oldHash, hash, masked }) {
      const [rotated] = await write(
        sql`update api_keys set hash = ${hash}, masked = ${masked} where id = ${id} and hash = ${oldHash}`,
      )
      return rotated === 1
    },
  }
}

/** With a limit or a creator it needs the team's lock, because the creator may be leaving the team. */
export function insertKey(key: NewKey, keysMax: number | null): Sql {
  return sql`
    insert into api_keys (id, team_id, name, hash, masked, scopes, mailbox_id, expires_at, created_at, created_by)
    select ${key.id}, ${key.teamId}, ${key.name}, ${key.hash}, ${key.masked}, ${JSON.stringify(key.scopes)},
           ${key.mailboxId}, ${key.expiresAt}, ${key.createdAt}, ${key.createdBy ?? null}
    where ${
      keysMax === null ? sql`true` : sql`${keysMax} > (select count(*) from api_keys where team_id = ${key.teamId})`
    }
      and ${key.createdBy ? sql`exists (${creator(key)})` : sql`true`}`
}

function creator({ createdBy, teamId }: NewKey): Sql {
  return sql`select 1 from users where id = ${createdBy ?? null} and team_id = ${teamId}`
}

const KEY = sql`
  k.id, k.team_id as "teamId", k.name, k.masked, k.scopes, k.mailbox_id as "mailboxId", b.name as "mailboxName",
  k.expires_at as "expiresAt", k.last_used_at as "lastUsedAt", k.created_at as "createdAt",
  k.created_by as "createdBy"`

const FROM_KEYS = sql`
  from api_keys k left join mailboxes b on b.team_id = k.team_id and b.id = k.mailbox_id and b.removed_at is null`

type KeyRow = Omit<ApiKey, 'scopes'> & { scopes: string }

function readKey<Row extends KeyRow>(row: Row): Omit<Row, 'scopes'> & Pick<ApiKey, 'scopes'> {
  return { ...row, scopes: JSON.parse(row.scopes) }
}
