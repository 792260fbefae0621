import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localUrl, type Config } from './config.ts'
import { isOutOfSpace } from './sqlite/connection.ts'
import { isLocked } from './sqlite/lock.ts'

/** Where a server on this machine is reached, as it left it for commands that run beside it. */
export type LeftAddresses = {
  /** What links begin with. */
  appUrl: string
  /** From this machine, whatever stands before it for others. */
  url: string
  /** Null where another program takes the mail in. */
  smtp: string | null
}

/** Nothing is left on PostgreSQL: one of many servers there is no better than the others. */
export function leaveAddresses({ dataDir, databaseUrl, appUrl, port }: Config, smtpPort: number | null): void {
  if (databaseUrl) return
  const addresses: LeftAddresses = {
    appUrl,
    url: localUrl(port),
    smtp: smtpPort === null ? null : `localhost:${smtpPort}`,
  }
  const path = addressesFile(dataDir)
  try {
    writeFileSync(`${path}.new`, JSON.stringify(addresses), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (error) {
    // A server on a full disk serves reads; only commands beside it have to be told where.
    if (!isOutOfSpace(error)) throw error
  }
}

/** Null where none runs: by its lock, as the file stays after its end, and its port may be another program's then. */
export function findLeftAddresses(dataDir: string): (LeftAddresses & { path: string }) | null {
  const path = addressesFile(dataDir)
  if (!existsSync(path) || !isLocked(join(dataDir, 'lock.db'))) return null
  // Only the function above writes the file.
  return { ...(JSON.parse(readFileSync(path, 'utf8')) as LeftAddresses), path }
}

function addressesFile(dataDir: string): string {
  return join(dataDir, 'addresses.json')
}
