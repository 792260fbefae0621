import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { commandTree } from '../src/cli/command-tree.ts'
import { createProgram } from '../src/cli/program.ts'
import { runHere } from './support/in-process.ts'
import { run } from './support/program.ts'
import { temporaryFolder } from './support/server.ts'

/** Every command that works on the database directly, with arguments. */
const WORDS: Record<string, string[]> = {
  'teams create': ['Checkout'],
  'teams plan': ['Checkout', 'pro'],
  'teams retention': ['Checkout', '30'],
  'teams list': [],
  'teams delete': ['Checkout', '--yes'],
  'users list': [],
  'users create': ['ada@example.com'],
  'users sign-in-link': [],
  'users reset-password': ['ada@example.com'],
  'users delete': ['ada@example.com', '--yes'],
  'mailboxes create': ['orders'],
  'keys create': [],
  'keys list': [],
  'keys revoke': ['0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'],
  backup: ['--to', 'copy'],
}
const GROUPS = /^(teams|users|keys) /

test('a command in the wrong folder says so and creates nothing', async () => {
  const paths = commandTree(createProgram('0.0.0')).map(({ path }) => path)
  // A new command of these groups needs arguments above.
  expect(paths.filter((path) => GROUPS.test(path) && !Object.hasOwn(WORDS, path))).toEqual([])
  const folder = temporaryFolder()
  const dataDir = join(folder, 'data')
  const message = new RegExp(`There is no (Mailhatch )?database in ${dataDir}`)
  for (const [path, words] of Object.entries(WORDS)) {
    await expect(runHere([...path.split(' '), ...words], { DATA_DIR: dataDir }), path).rejects.toThrow(message)
  }
  expect(readdirSync(folder)).toEqual([])
  const { code, stderr } = await run(['keys', 'create'], { DATA_DIR: dataDir })
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  expect(readdirSync(folder)).toEqual([])

  // Only this command creates a database without a server.
  await runHere(['db', 'migrate'], { DATA_DIR: dataDir })
  expect(await runHere(['teams', 'list'], { DATA_DIR: dataDir })).toBe('[]')
})

test('a command does not migrate a database', async () => {
  const dataDir = temporaryFolder()
  await runHere(['db', 'migrate'], { DATA_DIR: dataDir })
  const file = join(dataDir, 'mailhatch.db')
  expect(existsSync(file)).toBe(true)
  const database = new DatabaseSync(file)
  const version = () => Number(database.prepare('pragma user_version').get()!['user_version'])
  database.exec(`pragma user_version = ${version() - 1}`)
  const older = version()
  await expect(runHere(['teams', 'list'], { DATA_DIR: dataDir })).rejects.toThrow('mailhatch db migrate')
  expect(version()).toBe(older)
  database.close()
})
