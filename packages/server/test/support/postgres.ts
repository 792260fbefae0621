import pg from 'pg'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the PostgreSQL that runs during the tests, in the projects that start one. */
    postgresUrl: string
  }
}

/** Copying it takes a third of the time that the migrations take. */
const WITH_OUR_TABLES = 'with_our_tables'

/** Vitest calls it once before the tests of a project, and its result after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  await administer(server.url(), `create database ${WITH_OUR_TABLES}`)
  await (await openPostgresDatabase(server.url(WITH_OUR_TABLES))).close()
  project.provide('postgresUrl', server.url())
  return server.remove
}

/** The URL of a new database that has our tables without rows, as after a start of the product. */
export const freshDatabase = () => createDatabase(WITH_OUR_TABLES)

/** The URL of a new database without tables, for tests about migrations and the first start. */
export const emptyDatabase = () => createDatabase('template1')

/** The URL of a new database with the same content. The first one must have no connections. */
export const copyDatabase = (url: string) => createDatabase(new URL(url).pathname.slice(1))

/** The database is removed with the server: dropping one takes longer than most tests. */
async function createDatabase(template: string): Promise<string> {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(inject('postgresUrl'), `create database ${url.pathname.slice(1)} template ${template}`)
  return url.href
}

/** Runs statements on a separate connection. */
export async function administer(url: string, statements: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statements)
  } finally {
    await client.end()
  }
}
