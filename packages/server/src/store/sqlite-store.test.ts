import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { sql } from './sql.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { createSqlStore } from './sql-store.ts'
import { describeStore } from './store-contract.ts'

async function open() {
  const store = createSqlStore(openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')))
  onTestFinished(() => store.close())
  return store
}

describeStore('SQLite store', open)

test('a database of a newer Mailhatch is refused with what to do', () => {
  const path = join(temporaryFolder(), 'mailhatch.db')
  const newer = new DatabaseSync(path)
  newer.exec('pragma user_version = 999')
  newer.close()
  expect(() => openSqliteDatabase(path)).toThrow(/schema 999.*knows only.*newer version/s)
})

test('a text filter alone is answered by the trigram index', async () => {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  onTestFinished(() => database.close())
  const candidates = database.dialect.candidates('hello')!
  const plan = await database.read<{ detail: string }>(sql`explain query plan ${candidates}`)
  expect(plan.map(({ detail }) => detail).join()).toContain('VIRTUAL TABLE INDEX')
  expect(database.dialect.candidates('he')).toBeNull()
})
