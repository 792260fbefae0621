import { afterAll, beforeAll } from 'vitest'
import { administer } from '../support/postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'

/** A PostgreSQL for one test file, which may end its connections and restart it. */
export function ownPostgres(settings: Record<string, string> = {}) {
  let server: PostgresServer
  let made = 0
  beforeAll(async () => {
    // Many clients cannot connect while it starts, so each message is short.
    server = await startPostgres({ log_line_prefix: '', ...settings })
  })
  afterAll(() => server.remove())
  return {
    restart: (...given: Parameters<PostgresServer['restart']>) => server.restart(...given),
    /** The address of an empty database. */
    async database(): Promise<string> {
      const name = `replicas_${made++}`
      await administer(server.url(), `create database ${name}`)
      return server.url(name)
    },
  }
}
