import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { expect, test } from 'vitest'
import { moveToPreviousSchema, PREVIOUS_SCHEMA, schemaOf } from '../../test/support/previous-schema.ts'
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
  const values = (table: string) => rows[table]!.map((row) => Object.values(row))

  expect(values('team_state')).toEqual([
    ['acme', 5001, 12, 0, 0, 7, 5, 9, 0],
    ['beta', 3, 2, 0, 0, 1, 1, 2, 0],
  ])
  expect(rows['teams']!.map(({ id, name, plan, domain }) => [id, name, plan, domain])).toEqual([
    ['acme', 'Acme', 'pro', 'acme.test'],
    ['beta', 'Beta', 'free', null],
  ])
  expect(values('mailboxes')).toEqual([
    ['acme', 'foreign-id', 'foreign', 'in.test', 0, 15, 15, null],
    ['acme', 'hidden-id', 'hidden', 'acme.test', 0, 12, 13, 14],
    ['acme', 'qa-id', 'qa', 'acme.test', 0, 10, 11, null],
    ['beta', 'caught-gone-id', 'caught-gone', 'shop.test', 1, 20, 20, 21],
    ['beta', 'caught-id', 'caught', 'shop.test', 1, 19, 19, null],
    ['beta', 'gone-id', 'gone', 'in.test', 0, 17, 17, 18],
    ['beta', 'login-id', 'login', 'in.test', 0, 16, 16, null],
  ])
  expect(values('root_names')).toEqual([
    ['in.test', 'foreign', 'acme', 'foreign-id'],
    ['in.test', 'login', 'beta', 'login-id'],
  ])
  expect(values('former_holders')).toEqual([['shop.test', 'caught', 'beta']])

  expect(old['messages']).toHaveLength(PLAIN + 3)
  expect(rows['messages']).toEqual(byTeam(old['messages']!, 'position'))
  expect(rows['message_contents']).toHaveLength(PLAIN + 2)
  expect(rows['message_contents']).toEqual(byTeam(withPlaces(old['message_contents']!, old['messages']!), 'position'))
  expect(values('read_marks')).toEqual([
    ['acme', 1, 0, 8],
    ['acme', 5000, 1, 9],
    ['beta', 1, 0, 2],
  ])

  expect(values('removed_messages')).toEqual([
    ['', 'r2', 'in.test', 'login', 31, 0],
    ['acme', 'r1', 'acme.test', 'qa', 30, 1],
  ])
  const teamOrNone = old['rejections']!.map((row) => ({ ...row, team_id: row['team_id'] ?? '' }))
  expect(rows['rejections']).toEqual(byTeam(teamOrNone, 'id'))

  expect(rows['webhook_endpoints']).toEqual(byTeam(old['webhook_endpoints']!, 'id'))
  const teamOf = (row: Row) => (row['endpoint_id'] === 'e1' ? 'acme' : 'beta')
  const deliveries = old['deliveries']!.map((row) => ({ ...row, team_id: teamOf(row) }))
  expect(rows['deliveries']).toEqual(byTeam(deliveries, 'id'))
  expect(values('delivery_attempts')).toEqual([
    ['acme', 'd1', 1, 70, 500, 'a', 1, null],
    ['acme', 'd1', 2, 72, null, null, null, 'timeout'],
    ['acme', 'd1', 3, 69, 500, 'no', 12, 'error'],
    ['beta', 'd3', 1, 71, 200, '', 3, null],
  ])
  expect(values('outboxes')).toEqual([['acme', 800]])
  expect(values('index_blocks')).toEqual([])
  expect(values('index_slices')).toEqual([])
})

test('an address that changed hands in the last 30 days is remembered with the team that had its mail', () => {
  const path = oddDatabase()
  const database = new DatabaseSync(path)
  const now = Date.now()
  const move = database.prepare(
    `update messages set domain = ?, object_mailbox = ?, stored_at = ? where team_id = 'acme' and position = ?`,
  )
  move.run('in.test', 'renamed', now, 1)
  move.run('in.test', 'long-ago', now - 31 * 86_400_000, 2)
  move.run('in.test', 'foreign', now, 3)
  database.exec(`update removed_messages set removed_at = ${now}, domain = 'left.test' where id = 'r1'`)
  database.close()
  upgrade(path)
  expect(readTables(path)['former_holders']!.map((row) => Object.values(row))).toEqual([
    ['in.test', 'renamed', 'acme'],
    ['left.test', 'qa', 'acme'],
    ['shop.test', 'caught', 'beta'],
  ])
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
  expect(definitionsIn(upgraded)).toEqual(definitionsIn(created))
  const database = new DatabaseSync(upgraded)
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  expect(database.prepare('pragma user_version').get()).toEqual({ user_version: NEWEST_SCHEMA })
  database.close()
  expect(shown.filter(({ table }) => table === 'messages')).toEqual(
    [500, 1_000, 1_203].map((done) => ({ table: 'messages', done, total: 1_203 })),
  )
})

test('a file that was moved back to schema 10 is upgraded to the same rows', () => {
  const path = oddDatabase()
  upgrade(path)
  const expected = readTables(path)
  moveToPreviousSchema(path)
  expect(schemaOf(path)).toBe(PREVIOUS_SCHEMA)
  upgrade(path)
  expect(readTables(path)).toEqual(expected)
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
  // The time of the upgrade.
  for (const holder of rows['former_holders'] ?? []) delete holder['left_at']
  return rows
}

function definitionsIn(path: string): Row[] {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all()
  database.close()
  return rows
}

function withPlaces(rows: Row[], messages: Row[]): Row[] {
  const messageOf = new Map(messages.map((message) => [message['sequence'], message]))
  return rows.map((row) => {
    const { team_id, position } = messageOf.get(row['sequence'])!
    return { ...row, team_id: team_id!, position: position! }
  })
}

/** In the order of their new key, without the number that was the old one. */
function byTeam(rows: Row[], key: string): Row[] {
  const isAfter = (one: Row, other: Row) =>
    one['team_id'] === other['team_id'] ? one[key]! > other[key]! : one['team_id']! > other['team_id']!
  const sorted = rows.toSorted((one, other) => (isAfter(one, other) ? 1 : -1))
  return sorted.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => column !== 'sequence')))
}
