import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBackgroundProgram } from './background-program.ts'
import { findProgram } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './server.ts'

const RECIPE = join(import.meta.dirname, '../../../../deploy/pgbouncer.ini')
/** The id of an unprivileged user: PgBouncer refuses to run as root. */
const NOBODY = 65_534

/** Debian's PgBouncer in front of a database, configured like the recipe except for addresses and `changes`. */
export async function startPgBouncer(databaseUrl: string, changes: Record<string, string> = {}) {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl)
  const folder = temporaryFolder()
  const listenPort = await freePort()
  const users = join(folder, 'users.txt')
  const settings = { listen_addr: '127.0.0.1', listen_port: String(listenPort), auth_file: users, ...changes }
  let ini = readFileSync(RECIPE, 'utf8').replace(
    /^mailhatch = .*$/m,
    `* = host=${hostname} port=${port} dbname=${pathname.slice(1)}`,
  )
  for (const [name, value] of Object.entries(settings)) ini = withSetting(ini, name, value)
  writeFileSync(join(folder, 'pgbouncer.ini'), ini)
  writeFileSync(users, `"${username}" "${password}"\n`, { mode: 0o600 })
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [folder, users]) chownSync(path, NOBODY, NOBODY)
  const program = await findProgram(['/usr/sbin/pgbouncer'], 'pgbouncer')
  await startBackgroundProgram([program, 'pgbouncer.ini'], {
    cwd: folder,
    readyWhen: /process up/,
    ...(isRoot ? { uid: NOBODY } : {}),
  })
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${listenPort}`
  return { url: url.href }
}

/** Replaces the value of the recipe, or is added at the end. */
function withSetting(ini: string, name: string, value: string): string {
  const line = new RegExp(`^${name} = .*$`, 'm')
  return line.test(ini) ? ini.replace(line, `${name} = ${value}`) : `${ini}${name} = ${value}\n`
}
