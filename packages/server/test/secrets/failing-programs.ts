import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '../../src/program/settings.ts'
import { newSecret } from '../../src/random.ts'
import { madeSecret } from '../support/made-secrets.ts'
import { run } from '../support/program.ts'

/** Nothing listens there. */
const DEAD = '127.0.0.1:1'
const userInfo = () => `user:${madeSecret(newSecret())}@`

/** Servers whose connections fail, with secrets in their URLs and beside them. */
function failingServers(): [string[], Record<string, string>][] {
  const database = `postgres://${userInfo()}${DEAD}/mailhatch`
  const wrongForms = Object.fromEntries(
    Object.values(SETTINGS).map(({ variable, isSecret }) => [
      variable,
      isSecret ? madeSecret(`\u0001${newSecret()}`) : `bad://${userInfo()}${DEAD}/`,
    ]),
  )
  const s3 = { S3_ACCESS_KEY_ID: 'access-key', S3_SECRET_ACCESS_KEY: newSecret() }
  return [
    [['serve'], { DATABASE_URL: database }],
    [['api'], { DATABASE_URL: database, DATABASE_DIRECT_URL: `postgres://${userInfo()}${DEAD}/mailhatch` }],
    [['api'], { DATABASE_URL: `postgres://${userInfo()}${DEAD},${DEAD}/mailhatch` }],
    [['api'], { DATABASE_URL: `postgres://${userInfo()}${DEAD},/mailhatch` }],
    [['db', 'status'], { DATABASE_URL: database }],
    [['keys', 'list'], { DATABASE_URL: database }],
    [['serve'], { ...s3, INBOX_STORAGE: `s3://bucket/?endpoint=http://${DEAD}&region=here&style=path` }],
    [['serve'], { ...s3, INBOX_STORAGE: `s3://bucket/?endpoint=http://${userInfo()}${DEAD}&region=here&style=path` }],
    [['serve'], wrongForms],
    [['worker'], wrongForms],
  ]
}

/** Commands that ask a server, which is not there. */
function failingCommands(): [string[], Record<string, string>][] {
  const words = [['list'], ['whoami'], ['status'], ['ready'], ['doctor'], ['get'], ['wait', '--timeout', '1']]
  return words.map((command) => [
    command,
    { MAILHATCH_URL: `http://${userInfo()}${DEAD}`, MAILHATCH_API_KEY: newSecret() },
  ])
}

/** Runs all of them and keeps what they print. Resolves to the number of those that failed by themselves. */
export async function runFailingPrograms(folder: string, dataDir: string): Promise<number> {
  let failed = 0
  for (const [number, [words, environment]] of [...failingServers(), ...failingCommands()].entries()) {
    const ports = { PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', LOG_LEVEL: 'debug', DATA_DIR: dataDir }
    const { code, stdout } = await run(words, { ...ports, ...environment })
    // Null: it went on running.
    if (code !== 0 && code !== null) failed++
    appendFileSync(join(folder, `stdout-failing-${number}.log`), `${words.join(' ')}\n${stdout}`)
  }
  return failed
}
