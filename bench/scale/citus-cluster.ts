import { startPostgres, type PostgresServer } from '../../packages/server/test/support/postgres-server.ts'
import { distribute } from '../../packages/server/src/store/distribution.ts'
import { openPostgresDatabase } from '../../packages/server/src/store/postgres-database.ts'
import { administer } from '../replicas/administer.ts'

/** Both servers of the comparison have these. */
const SETTINGS = { autovacuum: 'on', wal_level: 'logical' }
const WITH_CITUS = {
  ...SETTINGS,
  shared_preload_libraries: 'citus',
  // All on this machine, and without certificates.
  'citus.node_conninfo': 'sslmode=disable',
  max_prepared_transactions: '300',
  max_worker_processes: '32',
}

export type Cluster = { url: string; workers: PostgresServer[]; remove(): Promise<void> }

/** A coordinator and workers on this machine, with our tables. `programs` is the folder of a PostgreSQL that has Citus. */
export async function startCluster(programs: string, workerCount: number): Promise<Cluster> {
  const servers = await Promise.all(Array.from({ length: 1 + workerCount }, () => startPostgres(WITH_CITUS, programs)))
  for (const server of servers) await administer(server.url(), 'create extension citus')
  const [coordinator, ...workers] = servers as [PostgresServer, ...PostgresServer[]]
  const addresses = workers.map((worker) => `select citus_add_node(${addressOf(worker)})`)
  await administer(
    coordinator.url(),
    `select citus_set_coordinator_host(${addressOf(coordinator)}); ${addresses.join('; ')}`,
  )
  const url = coordinator.url()
  await (await openPostgresDatabase(url)).close()
  await distribute(url, () => {})
  return {
    url,
    workers,
    async remove() {
      await Promise.all(servers.map((server) => server.remove()))
    },
  }
}

/** One server of the same version without Citus. */
export function startPlain(programs: string): Promise<PostgresServer> {
  return startPostgres(SETTINGS, programs)
}

function addressOf(server: PostgresServer): string {
  const { hostname, port } = new URL(server.url())
  return `'${hostname}', ${port}`
}
