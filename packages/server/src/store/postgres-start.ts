import type { Client } from 'pg'
import { retrying } from './postgres-connections.ts'
import { isConnectionLost } from './postgres-errors.ts'
import { failureOf, HostFailure, nameHosts, splitHosts } from './postgres-hosts.ts'
import { migratePostgres, refuseOldSchema, type MigrationOptions } from './postgres-migrations.ts'
import type { SchemaState } from './postgres-schema.ts'
import { checkServer, refuseSharedSessions } from './postgres-server-check.ts'
import { connectAlone } from './postgres-session.ts'
import { skipStatistics } from './postgres-statistics.ts'

type Target = { url: string; variable: string }
type Connected = { url: string; client: Client }

/**
 * Checks every host that can be used, and migrates. Only the first host migrates, because the lock for it is on one host.
 * While that host is unreachable, a program starts if there is nothing to migrate.
 */
export async function preparePostgres(target: Target, migration: MigrationOptions): Promise<SchemaState> {
  const urls = splitHosts(target.url)
  const connected = await firstConnections(urls, target)
  try {
    for (const { url, client } of connected) {
      await checkServer(client).catch((error: unknown) => {
        throw urls.length === 1 ? error : new HostFailure(url, error)
      })
      await refuseSharedSessions(client, { ...target, url })
    }
    const { url, client } = connected[0]!
    if (url !== urls[0]) return await refuseOldSchema(client, nameHosts(urls[0]))
    const state = await migratePostgres(client, migration)
    await skipStatistics(client)
    return state
  } finally {
    await Promise.all(connected.map(({ client }) => client.end()))
  }
}

async function firstConnections(urls: string[], { url, variable }: Target): Promise<Connected[]> {
  return retrying(() => connectToEach(urls), isConnectionLost).catch((error: unknown) => {
    const message = `PostgreSQL at ${nameHosts(url)} cannot be used: ${String(error)}. Check ${variable}.`
    throw new Error(message, { cause: error })
  })
}

/** At least one, in their order. */
async function connectToEach(urls: string[]): Promise<Connected[]> {
  const outcomes = await Promise.all(
    urls.map(async (url) =>
      connectAlone(url).then(
        (client) => ({ url, client }),
        (error: unknown) => new HostFailure(url, error),
      ),
    ),
  )
  const failures = outcomes.filter((outcome) => outcome instanceof HostFailure)
  if (failures.length === urls.length) throw failureOf(failures)
  return outcomes.flatMap((outcome) => (outcome instanceof HostFailure ? [] : [outcome]))
}
