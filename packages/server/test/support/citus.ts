import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { distribute } from '../../src/store/distribution.ts'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { administer, WITH_OUR_TABLES } from './postgres.ts'

/** Few, because every test copies all of them. */
const SHARDS = 4

type Node = { url: string; host: string; port: number }

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
  for (const node of nodes) await administer(node.url, `create database ${WITH_OUR_TABLES}`)
  await prepareTemplate(nodes)
  project.provide('postgresUrl', nodes[0]!.url)
  project.provide(
    'otherNodeUrls',
    nodes.slice(1).map((node) => node.url),
  )
  return () => removeDatabases(nodes)
}

/** The coordinator, as in the URL, and the workers that it knows. */
async function nodesOf(url: string): Promise<Node[]> {
  const nodes = await query<{ host: string; port: number; isCoordinator: boolean }>(
    url,
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator"
     from pg_dist_node where noderole = 'primary' order by groupid`,
  )
  const workers = nodes.filter(({ isCoordinator }) => !isCoordinator)
  if (workers.length === 0) throw new Error('CITUS_URL: the coordinator has no workers. Add them with citus_add_node.')
  const coordinator = new URL(url)
  return [{ host: coordinator.hostname, port: Number(coordinator.port || 5432) }, ...workers].map(({ host, port }) => {
    const node = new URL(url)
    node.hostname = host
    node.port = String(port)
    return { url: node.href, host, port }
  })
}

/** A distributed database with our tables, which accepts no connections: only such a one can be copied. */
async function prepareTemplate(nodes: Node[]): Promise<void> {
  const [coordinator, ...workers] = nodes as [Node, ...Node[]]
  for (const node of nodes) await administer(databaseOf(node.url, WITH_OUR_TABLES), 'create extension citus')
  const url = databaseOf(coordinator.url, WITH_OUR_TABLES)
  await administer(
    url,
    [
      `alter database ${WITH_OUR_TABLES} set citus.shard_count = ${SHARDS}`,
      `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
      ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
    ].join(';\n'),
  )
  await (await openPostgresDatabase(url)).close()
  await distribute(url, () => {})
  for (const node of nodes) {
    await administer(node.url, `alter database ${WITH_OUR_TABLES} with allow_connections false`)
    await administer(
      node.url,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${WITH_OUR_TABLES}'`,
    )
  }
}

/** Those of this run, and of one that was interrupted. */
async function removeDatabases(nodes: Node[]): Promise<void> {
  for (const { url } of nodes) {
    const databases = await query<{ name: string }>(
      url,
      `select datname as name from pg_database where datname = '${WITH_OUR_TABLES}' or datname ~ '^test_[0-9a-f]{32}$'`,
    )
    for (const { name } of databases) await administer(url, `drop database ${name} with (force)`)
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

function databaseOf(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = name
  return other.href
}
