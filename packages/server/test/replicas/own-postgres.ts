import { afterAll, beforeAll } from 'vitest'
import { administer } from '../support/postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'

/** A PostgreSQL for the tests of one file, who may end its connections and restart it as they like. */
export function ownPostgres() {
  let server: PostgresServer
  let made = 0
  beforeAll(async () => {
    // Those who cannot connect while it starts are many: what is said of each is kept short.
    server = await startPostgres({ log_line_prefix: '' })
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
