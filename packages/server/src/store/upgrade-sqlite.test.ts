import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { expect, test } from 'vitest'
import { addPlainMessages, createSchemaTen, ODD_ROWS } from '../../test/support/schema-ten.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { openForWriting } from '../sqlite/connection.ts'
import type { MigrationProgress } from './migration-progress.ts'
import { migrateSqlite, NEWEST_SCHEMA } from './sqlite-migrations.ts'

/** Moved in three transactions. */
const PLAIN = 1_200

type Row = Record<string, SQLOutputValue>

test('the rows of schema 10 belong to a team after the upgrade', () => {
  const path = oddDatabase()
  const old = readTables(path)
  upgrade(path)
  const rows = readTables(path)

  expect(rows['team_state']).toEqual([
    {
      team_id: 'acme',
      last_position: 5001,
      message_count: 12,
      indexed_through: 0,
      index_resets: 0,
      read_through: 7,
      read_count: 5,
      mark_version: 9,
    },
    {
      team_id: 'beta',
      last_position: 3,
      message_count: 2,
      indexed_through: 0,
      index_resets: 0,
      read_through: 1,
      read_count: 1,
      mark_version: 2,
    },
  ])
  expect(rows['teams']!.map(({ id, name, plan, domain }) => [id, name, plan, domain])).toEqual([
    ['acme', 'Acme', 'pro', 'acme.test'],
    ['beta', 'Beta', 'free', null],
  ])
  expect(rows['mailboxes']).toEqual([
    {
      team_id: 'acme',
      id: 'foreign-id',
      name: 'foreign',
      domain: 'in.test',
      is_caught: 0,
      created_at: 15,
      updated_at: 15,
      removed_at: null,
    },
    {
      team_id: 'acme',
      id: 'hidden-id',
      name: 'hidden',
      domain: 'acme.test',
      is_caught: 0,
      created_at: 12,
      updated_at: 13,
      removed_at: 14,
    },
    {
      team_id: 'acme',
      id: 'qa-id',
      name: 'qa',
      domain: 'acme.test',
      is_caught: 0,
      created_at: 10,
      updated_at: 11,
      removed_at: null,
    },
    {
      team_id: 'beta',
      id: 'caught-gone-id',
      name: 'caught-gone',
      domain: 'shop.test',
      is_caught: 1,
      created_at: 20,
      updated_at: 20,
      removed_at: 21,
    },
    {
      team_id: 'beta',
      id: 'caught-id',
      name: 'caught',
      domain: 'shop.test',
      is_caught: 1,
      created_at: 19,
      updated_at: 19,
      removed_at: null,
    },
    {
      team_id: 'beta',
      id: 'gone-id',
      name: 'gone',
      domain: 'in.test',
      is_caught: 0,
      created_at: 17,
      updated_at: 17,
      removed_at: 18,
    },
    {
      team_id: 'beta',
      id: 'login-id',
      name: 'login',
      domain: 'in.test',
      is_caught: 0,
      created_at: 16,
      updated_at: 16,
      removed_at: null,
    },
  ])
  expect(rows['root_names']).toEqual([
    { domain: 'in.test', name: 'foreign', team_id: 'acme', mailbox_id: 'foreign-id' },
    { domain: 'in.test', name: 'login', team_id: 'beta', mailbox_id: 'login-id' },
  ])
  expect(rows['former_holders']).toEqual([{ domain: 'shop.test', name: 'caught', team_id: 'beta', left_at: 19 }])

  expect(old['messages']).toHaveLength(PLAIN + 3)
  expect(rows['messages']).toEqual(byTeam(old['messages']!, 'position'))
  const places = new Map(old['messages']!.map(({ sequence, team_id, position }) => [sequence, { team_id, position }]))
  const placed = (table: string) => old[table]!.map((row) => ({ ...row, ...places.get(row['sequence']!)! }))
  expect(rows['message_contents']).toHaveLength(PLAIN + 2)
  expect(rows['message_contents']).toEqual(byTeam(placed('message_contents'), 'position'))
  expect(rows['read_marks']).toEqual([
    { team_id: 'acme', position: 1, is_read: 0, version: 8 },
    { team_id: 'acme', position: 5000, is_read: 1, version: 9 },
    { team_id: 'beta', position: 1, is_read: 0, version: 2 },
  ])

  expect(rows['removed_messages']).toEqual([
    { team_id: '', id: 'r2', domain: 'in.test', mailbox: 'login', removed_at: 31, has_objects: 0 },
    { team_id: 'acme', id: 'r1', domain: 'acme.test', mailbox: 'qa', removed_at: 30, has_objects: 1 },
  ])
  const teamOrNone = old['rejections']!.map((row) => ({ ...row, team_id: row['team_id'] ?? '' }))
  expect(rows['rejections']).toEqual(byTeam(teamOrNone, 'id'))

  expect(rows['webhook_endpoints']).toEqual(byTeam(old['webhook_endpoints']!, 'id'))
  const teamOf = (row: Row) => (row['endpoint_id'] === 'e1' ? 'acme' : 'beta')
  expect(rows['deliveries']).toEqual(
    byTeam(
      old['deliveries']!.map((row) => ({ ...row, team_id: teamOf(row) })),
      'id',
    ),
  )
  expect(rows['delivery_attempts']).toEqual([
    {
      team_id: 'acme',
      delivery_id: 'd1',
      attempt: 1,
      at: 70,
      http_status: 500,
      response_body: 'a',
      latency_ms: 1,
      error: null,
    },
    {
      team_id: 'acme',
      delivery_id: 'd1',
      attempt: 2,
      at: 72,
      http_status: null,
      response_body: null,
      latency_ms: null,
      error: 'timeout',
    },
    {
      team_id: 'acme',
      delivery_id: 'd1',
      attempt: 3,
      at: 69,
      http_status: 500,
      response_body: 'no',
      latency_ms: 12,
      error: 'error',
    },
    {
      team_id: 'beta',
      delivery_id: 'd3',
      attempt: 1,
      at: 71,
      http_status: 200,
      response_body: '',
      latency_ms: 3,
      error: null,
    },
  ])
  expect(rows['outboxes']).toEqual([{ team_id: 'acme', due_at: 800 }])
  expect(rows['index_blocks']).toEqual([])
  expect(rows['index_slices']).toEqual([])
})

test.each(['before', 'after'] as const)(
  'an upgrade that is cut off %s any commit continues to the same result',
  (when) => {
    const whole = oddDatabase()
    const original = `${whole}.original`
    copyFileSync(whole, original)
    const transactions = upgrade(whole)
    const expected = readTables(whole)
    // Two steps, and more than one transaction for the messages.
    expect(transactions).toBeGreaterThan(5)
    for (let count = 1; count <= transactions; count++) {
      const path = `${whole}.${count}`
      copyFileSync(original, path)
      expect(() => upgrade(path, { when, count })).toThrow('cut off')
      upgrade(path)
      expect(readTables(path)).toEqual(expected)
    }
  },
)

test('an upgraded database has the schema of a new one, intact references and progress to show', () => {
  const [upgraded, created] = [oddDatabase(), join(temporaryFolder(), 'new.db')]
  const shown: MigrationProgress[] = []
  upgrade(upgraded, null, (progress) => shown.push(progress))
  upgrade(created)
  expect(schemaOf(upgraded)).toEqual(schemaOf(created))
  const database = new DatabaseSync(upgraded)
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  expect(database.prepare('pragma user_version').get()).toEqual({ user_version: NEWEST_SCHEMA })
  database.close()
  expect(shown.filter(({ table }) => table === 'messages')).toEqual(
    [500, 1_000, 1_203].map((done) => ({ table: 'messages', done, total: 1_203 })),
  )
})

function oddDatabase(): string {
  const path = join(temporaryFolder(), 'mailhatch.db')
  const database = createSchemaTen(path)
  database.exec(`pragma foreign_keys = off; ${ODD_ROWS}`)
  addPlainMessages(database, PLAIN)
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  database.close()
  return path
}

/** Returns the number of transactions. */
function upgrade(
  path: string,
  cut: { when: 'before' | 'after'; count: number } | null = null,
  onMigration: (progress: MigrationProgress) => void = () => {},
): number {
  const connection = openForWriting(path)
  const exec = connection.exec.bind(connection)
  let commits = 0
  connection.exec = (text) => {
    const ends = /\bcommit$/.test(text)
    const isCut = ends && ++commits === cut?.count
    exec(isCut && cut.when === 'before' ? text.replace(/\bcommit$/, '') : text)
    if (isCut) throw new Error('cut off')
  }
  try {
    migrateSqlite(connection, onMigration)
    return commits
  } finally {
    connection.close()
  }
}

/** Every row of every table, in the order of the table's key, or of its rows before schema 11. */
function readTables(path: string): Record<string, Row[]> {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
  const read = ({ name }: Row): [string, Row[]] => {
    const keys = database.prepare(`select name from pragma_table_info(?) where pk > 0 order by pk`).all(name!)
    const order = keys.map((key) => key['name']).join(', ')
    return [String(name), database.prepare(`select * from ${String(name)} order by ${order}`).all()]
  }
  const rows = Object.fromEntries(tables.map(read))
  database.close()
  return rows
}

function schemaOf(path: string): Row[] {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all()
  database.close()
  return rows
}

/** In the order of their new key, without the number that was the old one. */
function byTeam(rows: Row[], key: string): Row[] {
  const compare = (one: Row, other: Row) =>
    Number(one['team_id']! > other['team_id']!) - Number(one['team_id']! < other['team_id']!) ||
    Number(one[key]! > other[key]!) - Number(one[key]! < other[key]!)
  return rows.toSorted(compare).map(({ sequence: _, ...row }) => row)
}
