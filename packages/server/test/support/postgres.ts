import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import type { TestProject } from 'vitest/node'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the PostgreSQL that runs during the tests, in the projects that start one. */
    postgresUrl: string
    /** On a cluster, the URLs of the nodes that a database is also created on. */
    otherNodeUrls: string[]
  }
}

/** Copying it takes a third of the time that the migrations take. */
export const WITH_OUR_TABLES = 'with_our_tables'

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
  const name = url.pathname.slice(1)
  const nodes = nodeUrls()
  await Promise.all(nodes.map((node) => administer(node, `create database ${name} template ${template}`)))
  if (nodes.length > 1) {
    // Some tests delay or refuse commits with triggers.
    await administer(nodes[0]!, `alter database ${name} set citus.enable_unsafe_triggers = on`)
    dropAfterTest(nodes, name)
  }
  return url.href
}

/** On a cluster its coordinator, and then the other nodes. */
export function nodeUrls(): string[] {
  // Only provided on a cluster.
  const others = inject('otherNodeUrls') as string[] | undefined
  return [inject('postgresUrl'), ...(others ?? [])]
}

/** Citus keeps a process for every database in use. */
function dropAfterTest(nodes: string[], name: string): void {
  const drop = async () => {
    for (const node of nodes) await administer(node, `drop database if exists ${name} with (force)`)
  }
  try {
    onTestFinished(drop)
  } catch {
    // In a hook of a whole file: dropped after all tests.
  }
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
