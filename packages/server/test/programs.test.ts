import { statSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../src/observe/logger.ts'
import { readConfig } from '../src/program/config.ts'
import { startApi, startServe } from '../src/program/node.ts'
import { announcement, post, store } from './support/announce.ts'
import { ask, reader } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { runToExit } from './support/in-process.ts'
import { withDatabase } from './support/journey-database.ts'
import { makeTeam } from './support/made-team.ts'
import { runServe, sentenceOf, startProgram } from './support/program.ts'
import { NEVER_OVERLOADED, startServer, temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

/** For commands that do not change it. */
const served = await startFileServer()

describe('a failed start has a readable error', () => {
  test('a second server on the same DATA_DIR is refused, and the first continues', async () => {
    const { url, dataDir } = served
    expect(sentenceOf(await runServe({ DATA_DIR: dataDir }))).toContain(dataDir)
    expect((await ask(`${url}/health`)).status).toBe(200)
  })

  test('a DATA_DIR that cannot be created', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(sentenceOf(await runServe({ DATA_DIR: join(file, 'data') }))).toContain(join(file, 'data'))
  })

  // A port in use is in busy-ports.test.ts.
})

describe('contract: SIGTERM stops a program gracefully', () => {
  test('a held wait ends with 503 and Retry-After, and the exit code is 0', async () => {
    const { url, stop, apiKey } = await startFirst()
    const { get, me } = reader(url, apiKey)
    const { cursor } = await me()
    const waiting = get('/v1/messages/latest', { after: cursor, wait: 60 })
    // Sent after the wait and responded to before it, so the wait is held by then.
    await me()
    const ended = stop()
    const { status, headers, body } = await waiting
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('1')
    expect(body).toMatchObject({ error: expect.any(String), requestId: headers.get('x-request-id') })
    expect((await ended).code).toBe(0)
  })

  test('waits whose clients have gone a moment before read nothing more, so none fails', async () => {
    const { url, stop, apiKey } = await startFirst({ METRICS: 'on' })
    const { cursor } = await reader(url, apiKey).me()
    const leaving = new AbortController()
    const request = { headers: { authorization: `Bearer ${apiKey}` }, signal: leaving.signal }
    const queries = {
      '/v1/messages': 'wait=60',
      '/v1/messages/latest': 'wait=60',
      '/v1/messages/settled': 'mailbox=qa&quiet=20&wait=60',
    }
    const waits = Object.entries(queries).flatMap(([path, query]) =>
      Array.from({ length: 70 }, () => fetch(`${url}${path}?after=${cursor}&${query}`, request)),
    )
    const metrics = async () => (await fetch(`${url}/metrics`)).text()
    await vi.waitFor(async () => expect(await metrics()).toContain('\nmailhatch_waits_held 210\n'))
    leaving.abort()
    await Promise.allSettled(waits)
    await vi.waitFor(async () => {
      const counted = (await metrics()).split('\n').filter((line) => /^mailhatch_http_requests.*messages/.test(line))
      const expected = Object.keys(queries).map((path) => expect.stringMatching(`"${path}".*status="408".* 70$`))
      expect(counted.toSorted()).toEqual(expected)
    })
    const { code, stderr } = await stop()
    expect([code, stderr.split('\n').filter((line) => line.includes('"level":50'))]).toEqual([0, []])
  })
})

describe('contract: the first start of the all-in-one program', () => {
  test('prints URLs and the key to standard output, once', async () => {
    const dataDir = temporaryFolder()
    const first = await startProgram('serve', { DATA_DIR: dataDir, LOG_LEVEL: 'debug' })
    const key = readFileSync(join(dataDir, 'api-key'), 'utf8').trim()
    expect(key).toMatch(/^mh_[0-9A-Za-z]{36}$/)
    expect(first.output.stdout).toContain(key)
    expect(first.output.stdout).toMatch(/SMTP\s+127\.0\.0\.1:\d+/)
    expect(first.output.stdout).toMatch(/\S+@mailhatch\.test/)
    expect(first.output.stdout).toMatch(/curl .*\/v1\/messages\/latest\?.*wait=/)
    expect(first.output.stdout).toMatch(
      new RegExp(`Sign in +${first.url.replace('127.0.0.1', 'localhost')}/sign-in\\?token=[\\w-]{43}`),
    )
    expect((await ask(`${first.url}/v1/me`, { key })).status).toBe(200)
    const ended = await first.stop()
    expect(ended.stderr).not.toContain(key)
    // Without held requests too, and the folder can be used again.
    expect(ended.code).toBe(0)

    const second = await startProgram('serve', { DATA_DIR: dataDir, LOG_LEVEL: 'debug' })
    expect((await ask(`${second.url}/v1/me`, { key })).status).toBe(200)
    const { stdout, stderr } = await second.stop()
    expect(stdout + stderr).not.toContain(key)
    expect(stdout + stderr).not.toContain('token=')
  })

  test('secrets are readable only by their owner', async () => {
    const { dataDir } = await startServer({ INBOX_WEBHOOK_SECRET: '' })
    for (const name of ['api-key', 'secrets.json']) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
  })

  test.each(['k'.repeat(20), 'k'.repeat(200), 'mine:with~all,kinds!of-characters'])(
    'BOOTSTRAP_API_KEY=%s',
    async (key) => {
      const { url, dataDir } = await startServer({ BOOTSTRAP_API_KEY: key })
      expect((await ask(`${url}/v1/me`, { key })).status).toBe(200)
      expect(readFileSync(join(dataDir, 'api-key'), 'utf8').trim()).toBe(key)
    },
  )

  test('BOOTSTRAP_DOMAIN is the team’s own domain; if empty, the team is on the shared root', async () => {
    const own = await startServer({ BOOTSTRAP_DOMAIN: 'Mail.Corp.Example' })
    expect((await own.sdk.me()).team.domain).toBe('mail.corp.example')
    await store(own.url, { domain: 'mail.corp.example', mailbox: 'anyone' })

    const shared = await startServer({ BOOTSTRAP_DOMAIN: '', INBOX_ROOT_DOMAIN: 'root.example' })
    expect((await shared.sdk.me()).team.domain).toBe('root.example')
    expect((await post(shared.url, announcement({ domain: 'root.example' }))).body.error).toBe('Mailbox not configured')
  })
})

describe('contract: INBOX_CATCH_ALL routes what addressing rule 3 would refuse', () => {
  test('to the bootstrap team; mail for other owners stays theirs', async () => {
    const { url, apiKey, dataDir } = await startServer({ INBOX_CATCH_ALL: 'bootstrap' })
    await makeTeam({ DATA_DIR: dataDir }, { name: 'Other', domain: 'other.test', plan: 'starter' })
    const { read, get } = reader(url, apiKey)
    const foreign = await store(url, { domain: 'elsewhere.example', mailbox: 'anyone', tag: 'x' })
    const root = await store(url, { domain: 'in.mailhatch.test', mailbox: 'nobody-here' })
    expect(await read(foreign.id)).toMatchObject({ domain: 'elsewhere.example', mailbox: 'anyone', tag: 'x' })
    expect(await read(root.id)).toMatchObject({ domain: 'in.mailhatch.test', mailbox: 'nobody-here' })
    const others = await store(url, { domain: 'other.test' })
    expect((await get(`/v1/messages/${others.id}`)).status).toBe(404)
  })

  test('an unknown team is reported at the start, and nothing is caught', async () => {
    const warnings = async (catchAll: string) => {
      const settings = { DATA_DIR: temporaryFolder(), PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', DISK_FREE_MIN: '0' }
      const environment = { ...settings, INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET, INBOX_CATCH_ALL: catchAll }
      const logged: string[] = []
      const log = { debug() {}, info() {}, error() {}, warn: (_facts: object, text: string) => void logged.push(text) }
      const running = await startServe(readConfig('serve', await withDatabase(environment)), log, {
        overload: NEVER_OVERLOADED,
      })
      const { status } = await post(
        `http://127.0.0.1:${running.apiPort}`,
        announcement({ domain: 'elsewhere.example' }),
      )
      await running.close()
      return { status, isWarned: logged.some((text) => text.includes('no team has this id')) }
    }
    expect(await warnings('nobody')).toEqual({ status: 404, isWarned: true })
    expect(await warnings('bootstrap')).toEqual({ status: 200, isWarned: false })
  })
})

test('contract: without INBOX_WEBHOOK_SECRET the API responds to the webhook with 500', async () => {
  const settings = await withDatabase({ DATA_DIR: temporaryFolder(), PORT: '0' })
  const api = await startApi(readConfig('api', settings), createLogger('silent', false))
  onTestFinished(() => api.close())
  const url = `http://127.0.0.1:${api.apiPort}`
  const { status, body } = await post(url, announcement())
  expect(status).toBe(500)
  expect(body.error).toBe('Webhook secret not configured')
  expect((await post(url, announcement(), {})).status).toBe(500)
})

describe('a refused command says why', () => {
  test.each<[string, string[], string, number]>([
    ['error: reserved mailbox name on create', ['mailboxes', 'create', 'Admin'], 'Mailbox name is reserved.', 2],
    [
      'a name that is none',
      ['mailboxes', 'create', 'a b'],
      'Mailbox names may contain letters, numbers, dot, dash, underscore.',
      2,
    ],
    ['a team that is not there', ['keys', 'create', '--team', 'Nobody'], 'Nobody', 1],
    ['a mailbox that is not there', ['keys', 'create', '--mailbox', 'nothing'], 'nothing', 1],
    ['a date that is none', ['keys', 'create', '--expires', '2027-02-30'], '2027-02-30', 2],
    ['a key that is not there', ['keys', 'revoke', 'no-such-key'], 'no-such-key', 1],
  ])('%s', async (_, words, about, expected) => {
    const { code, stderr } = await runToExit(words, await withDatabase({ DATA_DIR: served.dataDir }))
    expect(code).toBe(expected)
    expect(stderr).toContain(about)
  })
})

/** A first start in its own process, with the key that it created. */
async function startFirst(environment: Record<string, string> = {}) {
  const dataDir = temporaryFolder()
  const settings = { DATA_DIR: dataDir, INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET, ...environment }
  const program = await startProgram('serve', settings)
  return { ...program, apiKey: readFileSync(join(dataDir, 'api-key'), 'utf8').trim() }
}
