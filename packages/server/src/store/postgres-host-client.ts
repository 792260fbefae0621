import pg, { type ClientBase, type ClientConfig } from 'pg'
import type { HostFailure, Rotation } from './postgres-hosts.ts'
import { connectionConfig } from './postgres-session.ts'

/** Of several hosts, two may not respond, and there is still time to store a message, for which intake has 8 seconds. */
const HOST_CONNECT_MS_MAX = 2_000

/** Clients of a pool, each of which connects to the host whose turn it is. Their errors while connecting are HostFailures. */
export function hostClients(hosts: Rotation) {
  const urls = new WeakMap<ClientBase, string>()
  const limit = hosts.count > 1 ? { connectionTimeoutMillis: HOST_CONNECT_MS_MAX } : {}

  class HostClient extends pg.Client {
    constructor(config: ClientConfig = {}) {
      const url = hosts.next()
      super({ ...config, ...connectionConfig(url), ...limit })
      urls.set(this, url)
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null) => void): void
    override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | void {
      if (!callback) return super.connect()
      super.connect((error: Error | null) => callback(error && failed(this, error)))
    }
  }

  function failed(client: ClientBase, error: unknown): HostFailure {
    return hosts.failed(urls.get(client)!, error)
  }

  return { Client: HostClient, failed, reached: (client: ClientBase) => hosts.reached(urls.get(client)!) }
}
