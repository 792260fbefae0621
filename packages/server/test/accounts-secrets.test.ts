import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { OWNER, PASSWORD, startAccounts } from './support/accounts.ts'
import { openBrowser } from './support/browser.ts'
import { allStored } from './support/journey-database.ts'
import { CLIENT, startProvider } from './support/oidc-provider.ts'
import { run, startProgram } from './support/program.ts'
import { temporaryFolder } from './support/server.ts'

test('passwords, sessions and links are not stored in plain text', async () => {
  const { openOwner, newBrowser, giveLink, dataDir, store } = await startAccounts()
  const owner = await openOwner()
  expect((await owner.post('/auth/password', { current: PASSWORD, new: PASSWORD })).status).toBe(200)
  const links = [await giveLink(OWNER, 'sign-in'), await giveLink(OWNER, 'reset'), await giveLink(OWNER, 'check')]
  const other = newBrowser()
  await other.post('/auth/sign-in', { email: OWNER, password: PASSWORD })
  const secrets = [PASSWORD, owner.cookies.get('mailhatch')!, other.cookies.get('mailhatch')!, ...links]
  const stored = await allStored(dataDir)
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10)
    expect(stored.filter(({ content }) => content.includes(secret)).map(({ name }) => name)).toEqual([])
  }
  // Control: the scan finds the address, which is stored in plain text, and the hash of the password.
  expect(stored.filter(({ content }) => content.includes(OWNER))).not.toEqual([])
  const { passwordHash } = (await store.findUser({ email: OWNER }))!
  expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(stored.filter(({ content }) => content.includes(passwordHash!))).not.toEqual([])
})

test('they and the secrets of relay and provider are not logged', async () => {
  const provider = await startProvider()
  provider.behaviour.signing = 'stranger'
  const dataDir = temporaryFolder()
  const program = await startProgram('serve', {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
    SIGN_UP: 'open',
    SMTP_RELAY_URL: 'smtp://relay-user:relay-password@127.0.0.1:1',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  })
  const link = /\/sign-in\?token=([\w-]{43})/.exec(program.output.stdout)![1]!
  const browser = openBrowser(program.url)
  expect((await browser.post('/auth/link', { token: link })).status).toBe(200)
  const session = browser.cookies.get('mailhatch')!
  await browser.post('/auth/password', { new: PASSWORD })
  await openBrowser(program.url).post('/auth/sign-in', { email: OWNER, password: 'a wrong password' })
  await browser.post('/auth/reset/request', { email: OWNER })
  await browser.post('/auth/sign-up', { email: 'ada@corp.example', password: 'password of ada' })
  const start = await browser.get('/auth/oidc/start')
  const back = await fetch(start.headers.get('location')!, { redirect: 'manual' })
  const { pathname, search, searchParams } = new URL(back.headers.get('location')!)
  await browser.get(pathname + search)
  await expect.poll(() => program.output.stderr).toContain('sending a mail failed')
  const { stderr } = await program.stop()
  expect(stderr).toContain('a sign-in with the provider failed')
  const key = readFileSync(join(dataDir, 'api-key'), 'utf8').trim()
  const passwords = [PASSWORD, 'a wrong password', 'password of ada', 'relay-password', CLIENT.secret]
  for (const secret of [...passwords, link, session, key, searchParams.get('code')!, 'eyJ']) {
    expect(stderr).not.toContain(secret)
  }
})

test('an invalid setting is reported without its secrets', async () => {
  const { code, stderr } = await run(['serve'], {
    SMTP_RELAY_URL: 'http://user:relay-password@relay.example',
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ISSUER: 'issuer.example',
    SIGN_UP: 'closed',
  })
  expect(code).toBe(78)
  for (const variable of ['SMTP_RELAY_URL', 'OIDC_ISSUER', 'SIGN_UP']) expect(stderr).toContain(variable)
  expect(stderr).not.toContain('relay-password')
  expect(stderr).not.toContain(CLIENT.secret)
})

test('a password in a URL is not repeated by the message about it', async () => {
  const password = 'password-in-a-url'
  const url = `http://user:${password}@127.0.0.1:1`
  const settings = { OIDC_ISSUER: url, WEBHOOK_ALLOWED_HOSTS: url, APP_URL: url }
  const serve = await run(['serve'], settings)
  expect(serve.code).toBe(78)
  for (const variable of Object.keys(settings)) expect(serve.stderr).toContain(variable)
  const whoami = await run(['whoami'], { MAILHATCH_URL: url, MAILHATCH_API_KEY: 'a-key' })
  expect(whoami.stderr).toContain('must have no user name and no password')
  const failure = await new Mailhatch({ url, apiKey: 'a-key', retries: 0 }).me().catch((error: unknown) => error)
  expect(String(failure)).toContain('//(hidden)@127.0.0.1:1')
  for (const text of [serve.stderr, whoami.stdout, whoami.stderr, String(failure)]) expect(text).not.toContain(password)
})
