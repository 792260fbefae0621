import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SOURCE_PROGRAM, WEBHOOK_SECRET } from '../product.ts'
import { startProgram } from '../programs.ts'

/** Messages of one team are stored sequentially, those of several teams in parallel. */
export const TEAMS = 8

const run = promisify(execFile)

export type Fleet = {
  ports: number[]
  /** API key of the first team. */
  key: string
  domains: string[]
  dataDir: string
  stop(): Promise<void>
}

/** Starts API processes on one PostgreSQL database, with teams. Without `databaseUrl`, one process on SQLite. */
export async function startFleet(
  folder: string,
  { count, databaseUrl, program = SOURCE_PROGRAM }: { count: number; databaseUrl: string | null; program?: string },
) {
  const dataDir = mkdtempSync(join(folder, 'api-'))
  const environment = {
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
    INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
    SECRET_KEY: 'secret-key-of-all-processes-of-the-fleet',
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
  }
  const command = async (...words: string[]) => {
    const options = { env: { PATH: process.env['PATH'], ...environment }, cwd: folder }
    return (await run(process.execPath, [program, ...words, '--json'], options)).stdout
  }
  await command('db', 'migrate')
  const domains = Array.from({ length: TEAMS }, (_, number) => `team${number}.test`)
  for (const [number, domain] of domains.entries()) {
    await command('teams', 'create', `Team ${number}`, '--domain', domain, '--plan', 'enterprise')
  }
  // The JSON output of the command.
  const { key } = JSON.parse(await command('keys', 'create', '--team', 'Team 0')) as { key: string }
  const programs = Array.from({ length: count }, () =>
    startProgram({ name: 'API', command: process.execPath, args: [program, 'api'], folder, environment }),
  )
  const ports = await Promise.all(programs.map(async ({ output }) => Number((await output(/API\s+http:\S+:(\d+)/))[1])))
  const fleet: Fleet = {
    ports,
    key,
    domains,
    dataDir,
    async stop() {
      await Promise.all(programs.map((program) => program.stop()))
    },
  }
  return fleet
}
