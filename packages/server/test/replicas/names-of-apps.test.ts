import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { SECRET_KEY } from '../support/journey-database.ts'
import { runHere } from '../support/in-process.ts'
import { administer, emptyDatabase } from '../support/postgres.ts'
import { runServe, startProgram } from '../support/program.ts'
import { serveIn, temporaryFolder } from '../support/server.ts'
import { joinHosts } from './host-list.ts'

async function query(url: string, text: string): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<{ name: string }>(text)).rows.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

const tablesIn = (url: string) =>
  query(url, `select tablename as name from pg_tables where schemaname = 'public' order by 1`)

/** Tables with names that ours have too. */
const OF_APP = `create table teams (id text); create table messages (id text); create table schema_version (version text);
  insert into schema_version values ('1.2')`

/** A database that an earlier version of serve used by the plain name. */
async function usedDatabase(dataDir: string): Promise<string> {
  const url = await emptyDatabase()
  const environment = { MAILHATCH_DATABASE_URL: url, MAILHATCH_SECRET_KEY: SECRET_KEY }
  await (await serveIn(dataDir, environment)).close()
  return url
}

test('serve does not touch the database of an app', async () => {
  const url = await emptyDatabase()
  await administer(url, OF_APP)
  const dataDir = temporaryFolder()
  const { output } = await startProgram('serve', { DATA_DIR: dataDir, DATABASE_URL: url })
  expect(output.stdout).toContain('DATABASE_URL was left alone')
  expect(existsSync(join(dataDir, 'mailhatch.db'))).toBe(true)
  expect(await tablesIn(url)).toEqual(['messages', 'schema_version', 'teams'])
})

test('serve stops if DATABASE_URL has our tables, and names the variables to use', async () => {
  const dataDir = temporaryFolder()
  const url = await usedDatabase(dataDir)
  const plain = { DATA_DIR: dataDir, DATABASE_URL: url, SECRET_KEY }
  const { code, stderr } = await runServe(plain)
  expect([code, stderr]).toEqual([
    78,
    expect.stringMatching(
      /DATABASE_URL=\(hidden\): has the tables.* Set MAILHATCH_DATABASE_URL and MAILHATCH_SECRET_KEY/,
    ),
  ])
  const several = await runServe({ ...plain, DATABASE_URL: joinHosts([url, url]) })
  expect([several.code, several.stderr]).toEqual([78, expect.stringContaining('has the tables')])
  expect(existsSync(join(dataDir, 'mailhatch.db'))).toBe(false)
  // Of the two, the key alone is an error that names it.
  const half = await runServe({ DATA_DIR: dataDir, MAILHATCH_DATABASE_URL: url, SECRET_KEY })
  expect([half.code, half.stderr]).toEqual([78, expect.stringContaining('only as MAILHATCH_SECRET_KEY')])
  // Control: in a settings file, the plain names are ours.
  const file = join(temporaryFolder(), 'mailhatch.env')
  writeFileSync(file, `DATABASE_URL=${url}\nSECRET_KEY=${SECRET_KEY}\n`)
  const { output } = await startProgram('serve', { DATA_DIR: dataDir, MAILHATCH_DATABASE_URL: '' }, [
    '--settings',
    file,
  ])
  expect(output.stdout).not.toContain('left alone')
  expect(existsSync(join(dataDir, 'mailhatch.db'))).toBe(false)
})

test('a command takes DATABASE_URL only without a database in DATA_DIR and with our tables there', async () => {
  const ours = await usedDatabase(temporaryFolder())
  const empty = await emptyDatabase()
  const ofApp = await emptyDatabase()
  await administer(ofApp, OF_APP)
  const dataDir = temporaryFolder()
  const list = (environment: Record<string, string>) =>
    runHere(['teams', 'list'], { DATA_DIR: dataDir, ...environment })
  expect(JSON.parse(await list({ DATABASE_URL: ours }))).toMatchObject([{ name: 'My Team' }])
  // Of several hosts, one is enough.
  const dead = 'postgres://postgres@127.0.0.1:9/app'
  expect(JSON.parse(await list({ DATABASE_URL: joinHosts([ours, dead]) }))).toMatchObject([{ name: 'My Team' }])
  const unreachable = list({ DATABASE_URL: joinHosts([dead, dead]) })
  await expect(unreachable).rejects.toThrow('the one at DATABASE_URL (127.0.0.1:9,127.0.0.1:9) is unreachable')
  for (const [name, url] of Object.entries({ DATABASE_URL: empty, MAILHATCH_DATABASE_URL: empty, ofApp })) {
    const given = { [name === 'ofApp' ? 'DATABASE_URL' : name]: url }
    await expect(list(given), name).rejects.toThrow('no tables of Mailhatch')
  }
  expect([await tablesIn(empty), (await tablesIn(ofApp)).length, readdirSync(dataDir)]).toEqual([[], 3, []])
  // The file in DATA_DIR comes first, unless a name of ours is given.
  await runHere(['db', 'migrate'], { DATA_DIR: dataDir })
  expect(await list({ DATABASE_URL: ours })).toBe('[]')
  expect(JSON.parse(await list({ MAILHATCH_DATABASE_URL: ours }))).toHaveLength(1)
})
