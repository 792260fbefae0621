import type { Client } from 'pg'
import { connectAlone } from './postgres-session.ts'

/** The oldest version that the tests cover and that PostgreSQL still maintains. */
const VERSION_MIN = 15

/** Commits must be durable, and the encoding must be able to represent any mail. */
export async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(`
    select name, setting from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
       or name = 'server_encoding' and setting <> 'UTF8'
       or name in ('server_version_num', 'transaction_read_only')`)
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]))
  const version = Math.floor(Number(settings.get('server_version_num')) / 10_000)
  if (version < VERSION_MIN) {
    throw new Error(
      `PostgreSQL ${version} is too old: Mailhatch requires ${VERSION_MIN} or newer. Upgrade the server, then start again.`,
    )
  }
  if (settings.get('transaction_read_only') !== 'off') {
    throw new Error(
      'PostgreSQL is read-only: it is a standby, or default_transaction_read_only is on. ' +
        'Use the address of the primary, then start again.',
    )
  }
  settings.delete('server_version_num')
  settings.delete('transaction_read_only')
  if (settings.size === 0) return
  const found = Array.from(settings, ([name, setting]) => `${name}=${setting}`).join(', ')
  throw new Error(
    `PostgreSQL runs with ${found}: accepted mail could be lost in a crash or stored incorrectly. ` +
      'Turn fsync, full_page_writes and synchronous_commit on, use a database with the encoding UTF8, and start again.',
  )
}

/**
 * Two concurrent connections that share a server process come from a pooler in transaction mode, where session state
 * leaks between them. A busy pooler may return two processes, so this detects a mistake but proves nothing.
 */
export async function refuseSharedSessions(
  client: Client,
  { url, variable }: { url: string; variable: string },
): Promise<void> {
  const processOf = async (one: Client) =>
    (await one.query<{ id: number }>('select pg_backend_pid() as id')).rows[0]!.id
  const other = await connectAlone(url)
  try {
    if ((await processOf(client)) !== (await processOf(other))) return
  } finally {
    await other.end()
  }
  throw new Error(
    `${variable} goes through a pooler in transaction mode. Set DATABASE_DIRECT_URL to PostgreSQL itself, ` +
      'or use session mode, then start again.',
  )
}
