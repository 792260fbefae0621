import { randomInt } from 'node:crypto'
import { announcement, post } from '../support/announce.ts'
import { API_KEY, startChild } from '../support/child-server.ts'
import { temporaryFolder } from '../support/server.ts'
import type { ownPostgres } from '../replicas/own-postgres.ts'
import { startReplicas } from '../replicas/replicas.ts'

/** Processes that send from one outbox. */
export type Fleet = {
  /** The URL of one that runs. */
  url(): string
  key: string
  /** Announces a message to one of them and resolves to the status. Rejects if the process is killed meanwhile. */
  announce(id: string): Promise<number>
  /** `kill -9`; resolves when another process has replaced it. */
  killOne(): Promise<void>
  /** Stops all of them gracefully. */
  stop(): Promise<void>
}

export type StartFleet = (environment: Record<string, string>) => Promise<Fleet>

export const SECRET_KEY = 'secret-key-that-all-replicas-share'

/** The all-in-one program on SQLite. */
export const oneProcess: StartFleet = async (environment) => {
  const settings = { DATA_DIR: temporaryFolder(), ...environment }
  let server = await startChild({ environment: settings })
  return {
    url: () => server.apiUrl,
    key: API_KEY,
    announce: async (id) => (await post(server.apiUrl, announcement({ id }))).status,
    async killOne() {
      await server.kill()
      server = await startChild({ environment: settings })
    },
    async stop() {
      await server.stop()
    },
  }
}

/** Three API processes on PostgreSQL, any of which may be killed. */
export function replicas(postgres: ReturnType<typeof ownPostgres>): StartFleet {
  return async (environment) => {
    const { all, key, announce, start } = await startReplicas(await postgres.database(), {
      environment: { MAILHATCH_SECRET_KEY: SECRET_KEY, ...environment },
    })
    return {
      url: () => all[0]!.apiUrl,
      key,
      announce: async (id) => (await announce(all[randomInt(all.length)]!.apiUrl, { id })).status,
      async killOne() {
        const which = randomInt(all.length)
        await all[which]!.kill()
        all[which] = await start()
      },
      async stop() {
        await Promise.all(all.map((server) => server.stop()))
      },
    }
  }
}
