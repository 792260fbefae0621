import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localUrl, type Config } from './config.ts'
import { isOutOfSpace } from '../sqlite/connection.ts'
import { isLocked } from '../sqlite/lock.ts'

/** Addresses of a server on this machine. The server writes them for commands that run beside it. */
export type LocalAddresses = {
  /** Public base URL of links. */
  appUrl: string
  /** Base URL for clients on this machine, without a proxy. */
  url: string
  /** Null when another program receives the mail. */
  smtp: string | null
}

/** Not on PostgreSQL, where a command can use any of several servers. */
export function writeLocalAddresses(config: Config, smtpPort: number | null): void {
  const { dataDir, databaseUrl, appUrl, port, host, smtpHost } = config
  if (databaseUrl) return
  const addresses: LocalAddresses = {
    appUrl,
    url: localUrl(port, host),
    smtp: smtpPort === null ? null : new URL(localUrl(smtpPort, smtpHost)).host,
  }
  const path = addressesFile(dataDir)
  try {
    writeFileSync(`${path}.new`, JSON.stringify(addresses), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (error) {
    // A server on a full disk still serves reads. Only commands must then be given the address.
    if (!isOutOfSpace(error)) throw error
  }
}

/** Null when no server is running. Checks the lock, because the file remains and another program may use the port. */
export function findLocalAddresses(dataDir: string): (LocalAddresses & { path: string }) | null {
  const path = addressesFile(dataDir)
  if (!existsSync(path) || !isLocked(join(dataDir, 'lock.db'))) return null
  // Only the function above writes the file.
  return { ...(JSON.parse(readFileSync(path, 'utf8')) as LocalAddresses), path }
}

function addressesFile(dataDir: string): string {
  return join(dataDir, 'addresses.json')
}
