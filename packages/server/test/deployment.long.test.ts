import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startBackgroundProgram } from './support/background-program.ts'
import { spawnServer } from './support/child-server.ts'
import { environmentOfService, filledIn, recipeText, withHosts } from './support/compose-stack.ts'
import { findProgram } from './support/debian-package.ts'
import { freePort } from './support/free-port.ts'
import { S3_CREDENTIALS, startObjectStorage, type ObjectStorage } from './support/object-storage.ts'
import { startPgBouncer } from './support/pgbouncer.ts'
import { administer } from './support/postgres.ts'
import { startPostgres } from './support/postgres-server.ts'
import { runForJson } from './support/program.ts'
import { temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

/** The name that the guide's TLS step gives to the site. */
const SITE = 'mail.example.test'
const DOMAIN = 'checkout.example.com'
/** More than all replicas together allow from one address in an hour. */
const TRIES_MAX = 600

let storage: ObjectStorage
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.close())

const secret = () => randomBytes(32).toString('hex')

/** All parts of the compose files as processes, in the order in which Compose starts them. The proxy is started later. */
async function startStack(files: string[]) {
  const password = secret()
  const program = await findProgram(['/usr/lib/postgresql/15/bin/postgres'], 'postgresql-15')
  const postgres = await startPostgres({}, dirname(program))
  onTestFinished(() => postgres.remove())
  await administer(postgres.url(), `create role mailhatch login password '${password}'`)
  await administer(postgres.url(), 'create database mailhatch owner mailhatch')
  const direct = new URL(postgres.url('mailhatch'))
  Object.assign(direct, { username: 'mailhatch', password })
  const pooled = new URL((await startPgBouncer(direct.href)).url)
  const [first, second, site, siteTls, announcements, smtpPort] = await Promise.all(Array.from({ length: 6 }, freePort))
  const env = filledIn({
    POSTGRES_PASSWORD: password,
    S3_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    S3_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
    GARAGE_RPC_SECRET: secret(),
    INBOX_WEBHOOK_SECRET: secret(),
    SECRET_KEY: secret(),
    APP_URL: `https://${SITE}:${siteTls}`,
  })
  const hosts = {
    '@postgres:5432': `@${direct.host}`,
    '@pooler:6432': `@${pooled.host}`,
    's3://mail?endpoint=http://storage:3900&region=garage': storage.newBucket().s3Url,
    'proxy:8080': `127.0.0.1:${announcements}`,
    'api-1:3003': `127.0.0.1:${first}`,
    'api-2:3003': `127.0.0.1:${second}`,
    ':8080': `:${announcements}`,
  }
  const environmentOf = (service: string) => environmentOfService(service, { files, env, hosts })
  const migrate = environmentOf('migrate')
  expect(await runForJson(['db', 'migrate', '--json'], migrate)).toMatchObject({ from: 0 })
  const api = environmentOf('api-1')
  // The key of the recipe, not the one that other tests share.
  const more = { LOG_LEVEL: 'warn', DATA_DIR: temporaryFolder(), MAILHATCH_SECRET_KEY: '' }
  const servers = [
    spawnServer({ program: 'api', environment: { ...api, ...more, PORT: String(first) } }),
    spawnServer({ program: 'api', environment: { ...environmentOf('api-2'), ...more, PORT: String(second) } }),
    spawnServer({
      program: 'worker',
      environment: {
        ...environmentOf('worker'),
        LOG_LEVEL: 'warn',
        DATA_DIR: temporaryFolder(),
        SMTP_PORT: String(smtpPort),
      },
    }),
  ]
  await Promise.all(servers.map(({ ready }) => ready))
  await runForJson(['teams', 'create', 'Checkout', '--domain', DOMAIN, '--json'], api)
  const { key } = await runForJson<{ key: string }>(['keys', 'create', '--team', 'Checkout', '--json'], api)
  return { key, env, hosts, site: site!, siteTls: siteTls!, smtpPort: smtpPort!, api }
}

type Stack = Awaited<ReturnType<typeof startStack>>

/** Debian's Caddy with the file of the recipe and a local issuer instead of a public one. */
async function startProxy({ hosts, site, siteTls }: Stack, siteAddress: string) {
  const folder = temporaryFolder()
  const options = `{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port ${site}\n\thttps_port ${siteTls}\n}\n`
  writeFileSync(join(folder, 'Caddyfile'), options + withHosts(recipeText('Caddyfile'), hosts))
  const program = await findProgram(['/usr/bin/caddy'], 'caddy')
  const { stop } = await startBackgroundProgram([program, 'run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], {
    cwd: folder,
    environment: { SITE_ADDRESS: siteAddress, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
    readyWhen: /serving initial configuration/,
  })
  return { stop, root: join(folder, 'caddy/pki/authorities/local/root.crt') }
}

async function sendMail({ smtpPort }: Stack, to: string, subject: string): Promise<string> {
  const client = await SmtpClient.connect(smtpPort)
  onTestFinished(() => client.close())
  return client.send({ to, raw: Buffer.from(`Subject: ${subject}\r\n\r\nhello\r\n`) })
}

type Asked = { path: string; method?: string; body?: object; from?: string; headers?: Record<string, string> }

/** Over TLS, to the site by its name, with a verified certificate. */
async function ask({ siteTls, env }: Stack, ca: string, { path, method, body, from, headers = {} }: Asked) {
  const question = request({
    host: '127.0.0.1',
    port: siteTls,
    servername: SITE,
    ca,
    path,
    method: method ?? 'GET',
    localAddress: from ?? '127.0.0.1',
    agent: false,
    headers: { host: `${SITE}:${siteTls}`, origin: env['APP_URL']!, 'content-type': 'application/json', ...headers },
  })
  question.end(body && JSON.stringify(body))
  // The argument of a `response` listener.
  const [response] = (await once(question, 'response')) as [IncomingMessage]
  return { status: response.statusCode!, body: await text(response) }
}

test.each([
  ['compose.yaml', ['compose.yaml']],
  ['compose.yaml with compose.pgbouncer.yaml', ['compose.yaml', 'compose.pgbouncer.yaml']],
])('the parts of %s: mail flows before and after the TLS step, and each client has its own limit', async (_, files) => {
  const stack = await startStack(files)
  expect('DATABASE_DIRECT_URL' in stack.api).toBe(files.length > 1)
  const authorization = { authorization: `Bearer ${stack.key}` }

  // Unchanged: plain HTTP.
  const plain = await startProxy(stack, `:${stack.site}`)
  expect(await sendMail(stack, `qa+a@${DOMAIN}`, 'before TLS')).toMatch(/^250 /)
  const latest = (tag: string) => `/v1/messages/latest?tag=${tag}&wait=30`
  const read = await fetch(`http://127.0.0.1:${stack.site}${latest('a')}`, { headers: authorization })
  expect(await read.json()).toMatchObject({ data: { subject: 'before TLS' } })
  expect(await sendMail(stack, 'qa@elsewhere.example', 'not ours')).toMatch(/^5\d\d /)
  await plain.stop()

  // The TLS step of the guide: SITE_ADDRESS, and a restart of the proxy.
  const { root } = await startProxy(stack, SITE)
  await vi.waitFor(() => expect(existsSync(root)).toBe(true), 10_000)
  const ca = readFileSync(root, 'utf8')
  // Control: plain HTTP is now redirected.
  const redirected = await fetch(`http://127.0.0.1:${stack.site}/webhooks/inbox`, {
    method: 'POST',
    redirect: 'manual',
    headers: { host: SITE },
  })
  expect(redirected.status).toBe(308)
  expect(await sendMail(stack, `qa+b@${DOMAIN}`, 'after TLS')).toMatch(/^250 /)
  const answer = await ask(stack, ca, { path: latest('b'), headers: authorization })
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { data: { subject: 'after TLS' } }])

  // One client tries to sign in with invented addresses until it is limited. Another client is not affected.
  const signIn = async (from: string, number: number) => {
    const body = { email: `nobody-${from}-${number}@x.example`, password: 'not the password' }
    const headers = { 'x-forwarded-for': `203.0.113.${number % 250}` }
    return (await ask(stack, ca, { path: '/auth/sign-in', method: 'POST', body, from, headers })).status
  }
  const statuses: number[] = []
  // Each replica counts separately: this many in a row come from both.
  const isStopped = () => statuses.length >= 36 && statuses.slice(-36).every((status) => status === 429)
  while (statuses.length < TRIES_MAX && !isStopped()) {
    const tries = Array.from({ length: 6 }, (__, index) => signIn('127.0.0.2', statuses.length + index))
    statuses.push(...(await Promise.all(tries)))
  }
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
  expect(isStopped()).toBe(true)
  console.info(`the one client was told to stop after ${statuses.filter((status) => status === 401).length} tries`)
  for (let number = 0; number < 4; number++) expect(await signIn('127.0.0.1', number)).toBe(401)
  for (let number = 0; number < 4; number++) expect(await signIn('127.0.0.2', 1_000 + number)).toBe(429)
})
