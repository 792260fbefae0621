import { ConfigError, localUrl, readConfig, type Config } from '../../program/config.ts'
import { describeLeftAlone } from '../../program/left-alone.ts'
import type { Found } from '../connection.ts'
import { fail, ok, warn, type Finding, type NamedFinding } from '../finding.ts'
import { checkBucket } from './bucket-round-trip.ts'
import { checkClock } from './clock.ts'
import { checkCommits, checkConnections, checkDatabase, checkLocks } from './database.ts'
import { installationOf, type Installation, type ServerProgram } from './installation.ts'
import { checkDisk, checkFiles, checkMemory } from './limits.ts'
import { checkNames } from './name-resolution.ts'
import { checkSyncSpeed } from './sync-speed.ts'
import { within } from './within.ts'

type Check = { limitMs: number; run: (installation: Installation, signal: AbortSignal) => Promise<Finding> }

/** One after another, so that none disturbs the measurements of another. The limits only end what hangs. */
const CHECKS: Record<string, Check> = {
  sync: { limitMs: 10_000, run: (installation) => checkSyncSpeed(installation) },
  disk: { limitMs: 5_000, run: checkDisk },
  files: { limitMs: 5_000, run: (installation) => checkFiles(installation) },
  memory: { limitMs: 5_000, run: (installation) => checkMemory(installation) },
  dns: { limitMs: 10_000, run: (installation) => checkNames(installation) },
  database: { limitMs: 20_000, run: checkDatabase },
  commits: { limitMs: 20_000, run: checkCommits },
  locks: { limitMs: 20_000, run: checkLocks },
  connections: { limitMs: 20_000, run: checkConnections },
  clock: { limitMs: 25_000, run: (installation) => checkClock(installation) },
  bucket: { limitMs: 60_000, run: checkBucket },
}

type Given = { program: ServerProgram; dataDir: string; url: Found }

/** Examines the parts that a server program uses. The server may be running. Nothing that is written remains. */
export async function* deepFindings({ program, dataDir, url }: Given): AsyncGenerator<NamedFinding> {
  const config = readSettings(program, dataDir)
  yield { check: 'settings', ...judgeSettings(program, config) }
  if (config instanceof ConfigError) return
  const apiUrl = url.from === 'default' ? localUrl(config.port, config.host) : url.value
  const installation = installationOf(program, config, apiUrl)
  for (const [check, { limitMs, run }] of Object.entries(CHECKS)) {
    yield { check, ...(await within(limitMs, (signal) => run(installation, signal))) }
  }
}

function readSettings(program: ServerProgram, dataDir: string): Config | ConfigError {
  try {
    return readConfig(program, undefined, { DATA_DIR: dataDir })
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

function judgeSettings(program: ServerProgram, config: Config | ConfigError): Finding {
  if (config instanceof ConfigError) {
    return fail(
      `the settings of mailhatch ${program} are not valid: ${config.problems.join('; ')}`,
      'For a separate API or worker, use --deep api or --deep worker.',
    )
  }
  const { dataDir, databaseUrl, storage, smtpHiddenExtensions, leftAlone } = config
  const database = program === 'worker' ? [] : [databaseUrl === null ? 'SQLite' : 'PostgreSQL']
  const mail = storage?.kind ?? (program === 'api' ? null : 'inbox.db')
  const hidden = !smtpHiddenExtensions?.length ? [] : [`SMTP without ${smtpHiddenExtensions.join(', ')}`]
  const says = [
    `mailhatch ${program}`,
    dataDir,
    ...database,
    ...(mail === null ? [] : [`raw mail: ${mail}`]),
    ...hidden,
  ].join(', ')
  const left = describeLeftAlone(leftAlone)
  return left === null ? ok(says) : warn(`${says}; ${left}`, 'To examine a separate API, use --deep api.')
}
