import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newSecret } from '../../src/random.ts'
import { useSecretsEverywhere } from '../secrets/requests-with-secrets.ts'
import { runFailingPrograms } from '../secrets/failing-programs.ts'
import { searchLogs } from '../secrets/search-logs.ts'
import { usePasswordsBySmtp } from '../secrets/smtp-passwords.ts'
import { ask } from '../support/ask.ts'
import { announcement, post } from '../support/announce.ts'
import { spawnServer } from '../support/child-server.ts'
import { afterTheFile } from '../support/file-life.ts'
import { freePort } from '../support/free-port.ts'
import { madeSecret } from '../support/made-secrets.ts'
import { openPeople } from '../support/people.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove } from './proof.ts'

/** That of the whole run, or one for this part alone. */
const logs = process.env['PROVE_LOGS'] ?? ownFolder()
const whenOver = afterTheFile()

const dataDir = temporaryFolder(whenOver)
const key = newSecret()
const adminToken = newSecret()
const webhookSecret = newSecret()
const smtpPassword = newSecret()
const workerPort = await freePort()
const server = spawnServer({
  environment: {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
    WORKER_PORT: String(workerPort),
    BOOTSTRAP_API_KEY: key,
    ADMIN_TOKEN: adminToken,
    INBOX_WEBHOOK_SECRET: webhookSecret,
    MAILHATCH_SECRET_KEY: newSecret(),
    SMTP_AUTH_USER: 'user',
    SMTP_AUTH_PASS: smtpPassword,
    SIGN_UP: 'open',
    SMTP_RELAY_URL: `smtp://relay:${newSecret()}@127.0.0.1:1`,
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_CLIENT_ID: 'client',
    OIDC_CLIENT_SECRET: newSecret(),
    STRIPE_SECRET_KEY: newSecret(),
    STRIPE_WEBHOOK_SECRET: newSecret(),
    STRIPE_PRICE_PRO: 'price',
    STRIPE_API_URL: 'http://127.0.0.1:1',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:1',
    RATE_LIMIT: 'off',
  },
  whenOver,
})
await server.ready
const { apiUrl: url } = server
const people = await openPeople({ url, dataDir })

test('no secret is in a log', async () => {
  await failToDeliver()
  const { cookie } = (await people.operator()).headers
  const workerUrl = `http://127.0.0.1:${workerPort}`
  const requests = await useSecretsEverywhere({ url, workerUrl, key, adminToken, cookie })
  progress(`${requests} requests with secrets`)
  await usePasswordsBySmtp(server.smtpPort, smtpPassword)
  const programs = await runFailingPrograms(logs, temporaryFolder())
  await server.stop()

  const searched = await searchLogs(logs)
  for (const line of searched.found) progress(`found: ${line}`)
  // The same search, after a line with one of the secrets in Base64.
  const planted = Buffer.from(`user:${smtpPassword}`).toString('base64')
  appendFileSync(join(logs, 'planted.log'), `{"level":50,"authorization":"Basic ${planted}"}\n`)
  const control = await searchLogs(logs)
  rmSync(join(logs, 'planted.log'))

  prove({
    claim: 'No secret is logged.',
    tried:
      'The error output, which has the log, of every program that the whole run started was searched for every key, token, password, session, link and webhook ' +
      'secret that the run made: as it is, URL-encoded, in JSON, in Base64, and cut to 20 characters. Before, a server with LOG_LEVEL=debug ' +
      'got valid, wrong and malformed secrets at every route, procedure and page, in headers, cookies, URLs and bodies, and by SMTP; and ' +
      'programs and commands ran whose connections fail, with passwords in their URLs.',
    figures: [
      atLeast(1_000, 'requests with secrets', requests),
      atLeast(15, 'programs and commands that fail', programs),
      atLeast(1, 'logs searched', searched.programs),
      atLeast(1_000, 'bytes searched', searched.bytes),
      atLeast(1_000, 'secrets', searched.secrets),
      counted('forms of these', searched.forms),
      atMost(0, 'places with a secret', searched.found.length),
    ],
    control: {
      tried: 'The same search with one line more, which has a password in Base64.',
      figures: [atLeast(1, 'places with a secret', control.found.length - searched.found.length)],
    },
  })
})

/** A webhook with a token in its URL, whose deliveries fail. */
async function failToDeliver(): Promise<void> {
  const hook = { url: `http://127.0.0.1:1/hook?token=${madeSecret(newSecret())}` }
  const headers = { 'content-type': 'application/json' }
  const { status } = await ask(`${url}/v1/webhooks`, { method: 'POST', key, headers, body: JSON.stringify(hook) })
  expect(status).toBe(201)
  const stored = await post(url, announcement(), { authorization: `Bearer ${webhookSecret}` })
  expect(stored.status).toBe(200)
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
