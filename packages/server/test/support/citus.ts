import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { distribute } from '../../src/store/distribution.ts'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { administer, WITH_OUR_TABLES } from './postgres.ts'

/** Few, because every test copies all of them. */
const SHARDS = 4

/**
 * Vitest calls it once before the tests of the project, and its result after them. Citus cannot create a distributed database
 * from another one. But each node can copy its own part: tables, pieces of tables and what Citus knows of them have the same ids
 * in the copy.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The only setting of these tests.
  const url = process.env['CITUS_URL']
  if (!url) throw new Error('CITUS_URL is not set.')
  const nodes = await nodesOf(url)
  await removeDatabases(nodes)
  await createTemplate(nodes)
  project.provide('postgresUrl', nodes[0]!)
  project.provide('otherNodeUrls', nodes.slice(1))
  return () => removeDatabases(nodes)
}

/** The URLs of the coordinator and of the workers that it knows. */
async function nodesOf(url: string): Promise<string[]> {
  const workers = await query<{ host: string; port: number }>(
    url,
    `select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' and groupid <> 0 order by groupid`,
  )
  if (workers.length === 0) throw new Error('CITUS_URL: the coordinator has no workers. Add them with citus_add_node.')
  return [url, ...workers.map(({ host, port }) => Object.assign(new URL(url), { hostname: host, port }).href)]
}

/** Creates a distributed database with our tables, which accepts no connections: only such a one can be copied. */
async function createTemplate(nodes: string[]): Promise<void> {
  for (const node of nodes) await administer(node, `create database ${WITH_OUR_TABLES}`)
  const url = await joinNodes(nodes, WITH_OUR_TABLES)
  await (await openPostgresDatabase(url)).close()
  await distribute(url, () => {})
  for (const node of nodes) {
    await administer(node, `alter database ${WITH_OUR_TABLES} with allow_connections false`)
    await administer(
      node,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${WITH_OUR_TABLES}'`,
    )
  }
}

/** Makes databases of one name, one on each node, a cluster. Its URL is that of the first. */
export async function joinNodes(nodes: string[], database: string): Promise<string> {
  const [coordinator, ...workers] = nodes.map((node) => Object.assign(new URL(node), { pathname: database }))
  for (const { href } of [coordinator!, ...workers]) await administer(href, 'create extension citus')
  const address = ({ hostname, port }: URL) => `'${hostname}', ${port || 5432}`
  const joined = workers.map((worker) => `select citus_add_node(${address(worker)})`)
  await administer(
    coordinator!.href,
    `alter database ${database} set citus.shard_count = ${SHARDS};
     select citus_set_coordinator_host(${address(coordinator!)});
     ${joined.join(';')}`,
  )
  return coordinator!.href
}

/** Those of this run, and of one that was interrupted. */
async function removeDatabases(nodes: string[]): Promise<void> {
  for (const node of nodes) {
    const databases = await query<{ name: string }>(
      node,
      `select datname as name from pg_database where datname = '${WITH_OUR_TABLES}' or datname ~ '^test_[0-9a-f]{32}$'`,
    )
    for (const { name } of databases) await administer(node, `drop database ${name} with (force)`)
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
