import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { freshDatabase } from './postgres.ts'

type Environment = Record<string, string>

/** What programs on one PostgreSQL share. */
export const SECRET_KEY = 'secret-key-of-all-programs-of-the-tests'

const databases = new Map<string, Promise<string>>()

/**
 * If journeys run on PostgreSQL, each data folder has its own database, which servers and commands of that folder share.
 * Otherwise nothing is added.
 */
export async function withDatabase<Given extends Environment>(environment: Given): Promise<Environment & Given> {
  const { DATA_DIR, DATABASE_URL, MAILHATCH_DATABASE_URL } = environment as Environment
  const isGiven = DATABASE_URL !== undefined || MAILHATCH_DATABASE_URL !== undefined
  if (!inject('postgresUrl') || DATA_DIR === undefined || isGiven) return environment
  const known = databases.get(DATA_DIR)
  const url = known ?? freshDatabase()
  if (!known) databases.set(DATA_DIR, url)
  return { MAILHATCH_SECRET_KEY: SECRET_KEY, ...environment, MAILHATCH_DATABASE_URL: await url }
}

/** The files of a data folder, and the tables of its database if that is elsewhere. */
export async function allStored(dataDir: string): Promise<{ name: string; content: string }[]> {
  const files = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile())
  const stored = files.map(({ name }) => ({ name, content: readFileSync(join(dataDir, name), 'latin1') }))
  const { MAILHATCH_DATABASE_URL: url }: Environment = await withDatabase({ DATA_DIR: dataDir })
  return url === undefined ? stored : [...stored, ...(await allTables(url))]
}

async function allTables(url: string): Promise<{ name: string; content: string }[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const contents = []
  for (const { name } of tables) {
    const { rows } = await client.query(`select * from ${name}`)
    contents.push({ name, content: JSON.stringify(rows) })
  }
  await client.end()
  return contents
}
