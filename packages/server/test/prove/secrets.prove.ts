import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { newSecret } from '../../src/random.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { runCommands } from '../secrets/commands.ts'
import { runFailingPrograms } from '../secrets/failing-programs.ts'
import { runProgramsApart } from '../secrets/programs-apart.ts'
import { PEER, useSecretsEverywhere } from '../secrets/requests-with-secrets.ts'
import { namedFormsOf, searchLogs, type Search } from '../secrets/search-logs.ts'
import { signInEverywhere } from '../secrets/sign-ins.ts'
import { usePasswordsBySmtp } from '../secrets/smtp-passwords.ts'
import { ask } from '../support/ask.ts'
import { announcement, post } from '../support/announce.ts'
import { spawnServer } from '../support/child-server.ts'
import { freePort } from '../support/free-port.ts'
import { madeSecret } from '../support/made-secrets.ts'
import { CLIENT, startProvider } from '../support/oidc-provider.ts'
import { openPeople } from '../support/people.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove } from './proof.ts'

/** Of this part. Those of the other parts are beside it. */
const logs = process.env['PROVE_LOGS'] ?? ownFolder()
/** The parts that ran before it in the same run. */
const earlier = process.env['PROVE_EARLIER_PARTS']?.split(',') ?? []
const postgres = ownPostgres()

const TO = 'qa@mailhatch.test'
const LOGGED = 'secrets in a log (standard error)'
const PRINTED = 'secrets in other output of programs (standard output)'
/** By link, by password and through a provider. */
const SIGN_INS = 3
/** A few lines. A program without output would pass any search. */
const OUTPUT_BYTES_MIN = 200
/** Its server runs in the process of the part, and logs nothing of what the part does, even at LOG_LEVEL=debug. */
const SILENT = ['isolation']
const TELLING = preload('secrets/telling-program.ts')

test('no secret is in a log', async () => {
  const used = await useAllPrograms()
  const found = await searchLogs([logs, ...earlier.map((name) => join(dirname(logs), name))])
  for (const line of found.found) progress(`found: ${line}`)
  const telling = await searchTelling()
  const loggingParts = [basename(logs), ...earlier].filter((name) => !SILENT.includes(name))
  prove({
    claim:
      earlier.length === 0
        ? 'No secret is in the logs of this part, which ran alone.'
        : `No secret is in the logs of one run of ${earlier.join(', ')} and this part.`,
    tried:
      `${withoutLogs(found)}Every part keeps the logs of the programs of Mailhatch that it starts and of servers in its own process, at LOG_LEVEL=debug. It also keeps the standard output of servers that print no key on purpose, and every key, token, password, session, link and webhook secret that it creates. ` +
      'This part searches the output for each secret, in full or cut off after 20 characters: as it is, URL-encoded, in JSON and in Base64. ' +
      'Before the search, this part uses secrets in every way. The all-in-one program, the API and the worker get valid, wrong and malformed secrets at every route, procedure and page, those of Mailpit’s API too: in headers, cookies, URLs and bodies. Users sign in by link, by password and with OpenID Connect. SMTP clients use AUTH. ' +
      'The API and the worker use S3, and PostgreSQL with a password in its URL. Commands succeed. Programs and commands with passwords in their URLs fail.',
    figures: [
      counted('routes, procedures and pages', used.doors),
      atLeast(1_000, 'requests with secrets', used.requests),
      counted('requests with secrets that succeed', used.successes),
      atLeast(SIGN_INS, 'ways to sign in that succeed', used.signIns),
      atLeast(8, 'commands that succeed', used.commands),
      atLeast(13, 'programs and commands that fail', used.failed),
      atLeast(loggingParts.length, 'parts with output', loggingParts.filter((name) => hasOutput(name, found)).length),
      atLeast(20, 'files with output', found.logs.length),
      ...Object.entries(used.outputs).map(([name, pattern]) =>
        atLeast(OUTPUT_BYTES_MIN, `bytes of output of this part: ${name}`, bytesOf(pattern)),
      ),
      counted('bytes searched, of all parts', found.bytes),
      atLeast(1_000, 'secrets that are searched for', found.secrets),
      counted('forms of secrets that are searched for', found.forms),
      atMost(0, LOGGED, placesIn(found, 'stderr')),
      atMost(0, PRINTED, placesIn(found, 'stdout')),
    ],
    control: {
      tried:
        'The same search of the output of a program that is changed at start: it logs API keys, and prints passwords of SMTP clients URL-encoded, in JSON and in Base64. The password has characters that look different in each of these.',
      figures: [
        atLeast(1, LOGGED, placesIn(telling.search, 'stderr')),
        atLeast(1, PRINTED, placesIn(telling.search, 'stdout')),
        ...telling.forms.map(([form, count]) => atLeast(1, `places of a secret, ${form}`, count)),
      ],
    },
  })
})

/** Of the files in the folder of this part. */
function bytesOf(pattern: string): number {
  return globSync(pattern, { cwd: logs }).reduce((sum, name) => sum + statSync(join(logs, name)).size, 0)
}

const placesIn = ({ found }: Search, output: 'stdout' | 'stderr') =>
  found.filter((line) => line.split('/')[1]!.startsWith(output)).length

/** Whether a part has left something to search. */
function hasOutput(part: string, { logs: files }: Search): boolean {
  return files.some((path) => dirname(path) === part)
}

function withoutLogs(search: Search): string {
  const missing = earlier.filter((name) => !hasOutput(name, search))
  return missing.length === 0 ? '' : `Of these, ${missing.join(', ')} logged nothing. `
}

async function useAllPrograms() {
  const provider = await startProvider()
  const dataDir = temporaryFolder()
  const secrets = { key: newSecret(), adminToken: newSecret(), webhookSecret: newSecret(), smtpPassword: newSecret() }
  const { key, adminToken } = secrets
  const workerPort = await freePort()
  const server = spawnServer({ environment: settingsOf({ ...secrets, dataDir, workerPort, issuer: provider.issuer }) })
  await server.ready
  const { apiUrl: url } = server
  const people = await openPeople({ url, dataDir }, onTestFinished)
  await failToDeliver(url, secrets)
  const signIns = await signInEverywhere(url, people.store, provider)
  await usePasswordsBySmtp(server.smtpPort, secrets.smtpPassword, TO)
  const commands = await runCommands(logs, { url, key, dataDir })
  progress(`${signIns} ways to sign in, ${commands} commands`)
  const { cookie } = (await people.operator()).headers
  const workerUrl = `http://127.0.0.1:${workerPort}`
  const used = await useSecretsEverywhere({ url, workerUrl, key, adminToken, cookie })
  progress(`${used.requests} requests with secrets`)
  await server.stop()
  const apart = await runProgramsApart(await postgres.database())
  const failed = await runFailingPrograms(logs, temporaryFolder())
  const outputs = {
    'the all-in-one program': `stderr-${server.process.pid}.log`,
    'the API': `stderr-${apart.api}.log`,
    'the worker': `stderr-${apart.worker}.log`,
    commands: 'stdout-command-*.log',
    'programs and commands that fail': 'stdout-failing-*.log',
  }
  return { ...used, signIns, commands, failed, outputs }
}

type Settings = {
  dataDir: string
  workerPort: number
  issuer: string
  key: string
  adminToken: string
  webhookSecret: string
  smtpPassword: string
}

/** Everything that needs a secret. Where none is needed, nothing listens at port 1. */
function settingsOf({ dataDir, workerPort, issuer, ...secrets }: Settings): Record<string, string> {
  return {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
    WORKER_PORT: String(workerPort),
    BOOTSTRAP_API_KEY: secrets.key,
    ADMIN_TOKEN: secrets.adminToken,
    INBOX_WEBHOOK_SECRET: secrets.webhookSecret,
    MAILHATCH_SECRET_KEY: newSecret(),
    SMTP_AUTH_USER: 'user',
    SMTP_AUTH_PASS: secrets.smtpPassword,
    SIGN_UP: 'open',
    SMTP_RELAY_URL: `smtp://relay:${newSecret()}@127.0.0.1:1`,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    STRIPE_SECRET_KEY: newSecret(),
    STRIPE_WEBHOOK_SECRET: newSecret(),
    STRIPE_PRICE_PRO: 'price',
    STRIPE_API_URL: 'http://127.0.0.1:1',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:1',
    RATE_LIMIT: 'off',
    METRICS: 'on',
    COMPAT: PEER,
    COMPAT_PORT: '0',
  }
}

/** A webhook with a token in its URL, whose deliveries fail. */
async function failToDeliver(url: string, { key, webhookSecret }: { key: string; webhookSecret: string }) {
  const hook = { url: `http://127.0.0.1:1/hook?token=${madeSecret(newSecret())}` }
  const headers = { 'content-type': 'application/json' }
  const { status } = await ask(`${url}/v1/webhooks`, { method: 'POST', key, headers, body: JSON.stringify(hook) })
  expect(status).toBe(201)
  const stored = await post(url, announcement(), { authorization: `Bearer ${webhookSecret}` })
  expect(stored.status).toBe(200)
}

/** Its output and its secrets are in a folder of their own. */
async function searchTelling(): Promise<{ search: Search; forms: [form: string, places: number][] }> {
  const folder = temporaryFolder()
  process.env['PROVE_LOGS'] = folder
  const [key, password] = [newSecret(), `"ä/${newSecret()}`]
  const environment = {
    DATA_DIR: temporaryFolder(),
    LOG_LEVEL: 'debug',
    BOOTSTRAP_API_KEY: key,
    SMTP_AUTH_USER: 'user',
    SMTP_AUTH_PASS: password,
  }
  const server = spawnServer({ environment, nodeArguments: TELLING })
  await server.ready
  await ask(`${server.apiUrl}/v1/me`, { key })
  await usePasswordsBySmtp(server.smtpPort, password, TO)
  await server.stop()
  process.env['PROVE_LOGS'] = logs
  const search = await searchLogs([folder])
  const places = (forms: string[]) => search.found.filter((line) => forms.some((form) => line.endsWith(form))).length
  const { url, json, base64 } = namedFormsOf(password)
  const forms: [string, number][] = [
    ['as it is', places(namedFormsOf(key).plain)],
    ['URL-encoded', places(url)],
    ['in JSON', places(json)],
    ['in Base64', places(base64)],
  ]
  return { search, forms }
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-logs-'))
  process.env['PROVE_LOGS'] = folder
  afterAll(() => {
    delete process.env['PROVE_LOGS']
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
