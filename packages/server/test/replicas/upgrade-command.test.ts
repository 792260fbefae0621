import { expect, test } from 'vitest'
import { NEWEST_SCHEMA } from '../../src/store/postgres-schema.ts'
import { runDatabaseCommand } from '../support/database-command.ts'
import { previousDatabase } from '../upgrade/previous-database.ts'
import { connectPrevious } from '../upgrade/previous-replica.ts'

test('db migrate prepares a database for both versions, and db migrate --finish ends that', async () => {
  const url = await previousDatabase()
  const old = await connectPrevious(url)
  await old.addTeam({ id: 'one', domain: null })
  await old.close()
  const run = async (...words: string[]) => {
    const { stdout, stderr } = await runDatabaseCommand(words, { DATABASE_URL: url })
    return { stderr, ...JSON.parse(stdout) }
  }
  const before = { schema: 10, newestSchema: NEWEST_SCHEMA, isFinishOpen: false, counts: null }
  expect(await run('status')).toMatchObject(before)
  const migrated = await run('migrate')
  expect(migrated).toMatchObject({ from: 10, to: 10, isFinishOpen: true })
  expect(migrated.stderr).toContain('migrating teams: 1 of 1')
  const open = { schema: 10, newestSchema: NEWEST_SCHEMA, isFinishOpen: true, counts: { teams: 1 } }
  expect(await run('status')).toMatchObject(open)
  expect(await run('migrate', '--finish')).toMatchObject({ from: 10, to: NEWEST_SCHEMA, isFinishOpen: false })
  expect(await run('migrate', '--finish')).toMatchObject({
    from: NEWEST_SCHEMA,
    to: NEWEST_SCHEMA,
    isFinishOpen: false,
  })
})
