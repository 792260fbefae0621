import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { post } from './support/announce.ts'
import { ask, reader, type Reader } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { allStored } from './support/journey-database.ts'
import { scrape, valueOf } from './support/scrape.ts'
import { WEBHOOK_SECRET } from './support/server.ts'

type CreatedKey = { id: string; key: string }

const server = await startFileServer({ METRICS: 'on' })
const { url, apiKey, store } = server
const { name: teamName } = (await server.me()).team

const makeKey = (...words: string[]) => server.command<CreatedKey>('keys', 'create', ...words)

/** A message in each mailbox, and one of another team. */
const alphaMail = await store({ mailbox: 'alpha', tag: 'one', subject: 'for alpha' })
const betaMail = await store({ mailbox: 'beta', subject: 'for beta' })
await server.command('teams', 'create', 'Other', '--domain', 'other.test', '--plan', 'pro')
const otherMail = await store({ domain: 'other.test', mailbox: 'alpha', subject: 'for the other team' })
const [otherKey, alphaKey] = await Promise.all([
  makeKey('--team', 'Other'),
  makeKey('--team', teamName, '--mailbox', 'alpha'),
])

const PATHS = ['/v1/messages', '/v1/messages/latest', `/v1/messages/${alphaMail.id}`, '/v1/me']

describe('error: missing or invalid API key is 401', () => {
  const lastCharacter = apiKey.at(-1) === 'A' ? 'B' : 'A'

  test.each<[string, string | null]>([
    ['no header', null],
    ['an empty header', ''],
    ['no key', 'Bearer'],
    ['a wrong checksum', `Bearer ${apiKey.slice(0, -1)}${lastCharacter}`],
    ['part of a key', `Bearer ${apiKey.slice(0, -1)}`],
    ['two keys', `Bearer ${apiKey} ${apiKey}`],
    ['an unknown key of another format', 'Bearer 0123456789-0123456789-0123456789'],
    ['a very long key', `Bearer ${'x'.repeat(8_000)}`],
    ['the key without scheme', apiKey],
    ['another scheme', `Basic ${apiKey}`],
    ['the webhook secret', `Bearer ${WEBHOOK_SECRET}`],
  ])('%s', async (_, authorization) => {
    for (const path of PATHS) {
      const { status, body } = await ask(url + path, { headers: authorization === null ? {} : { authorization } })
      expect(status).toBe(401)
      expect(body).toEqual({ error: 'Unauthorized', code: 'unauthorized', requestId: expect.any(String) })
    }
  })

  test.each(PATHS)('control: %s accepts the right key', async (path) => {
    expect((await server.get(path)).status).toBe(200)
  })

  test('error: an expired key is 401 `API key expired`', async () => {
    const [expired, valid] = await Promise.all([
      makeKey('--team', teamName, '--expires', new Date(Date.now() - 1_000).toISOString()),
      makeKey('--team', teamName, '--expires', new Date(Date.now() + 3_600_000).toISOString()),
    ])
    const { status, body } = await reader(url, expired.key).get('/v1/messages')
    expect(status).toBe(401)
    expect(body).toMatchObject({ error: 'API key expired', code: 'key_expired' })
    expect((await reader(url, valid.key).get('/v1/messages')).status).toBe(200)
  })

  test('contract: a revoked key is refused from the next request on', async () => {
    const { id, key } = await makeKey('--team', teamName)
    expect((await reader(url, key).get('/v1/me')).status).toBe(200)
    await server.command('keys', 'revoke', id)
    const { status, body } = await reader(url, key).get('/v1/me')
    expect(status).toBe(401)
    expect(body.error).toBe('Unauthorized')
  })
})

/** Longer than the second for which a check of a key stays valid. */
const HELD_SECONDS = 2

describe('contract: a held wait ends as its key allows, also if other requests use the key all the time', () => {
  test.each([
    ['stays', 404, [], async () => {}],
    ['is revoked by another program', 401, [], async (id: string) => void (await server.command('keys', 'revoke', id))],
    ['loses its mailbox', 403, ['--mailbox', 'leaving'], () => removeMailbox('leaving')],
  ])('a key that %s: %i', async (_, expected, words, end) => {
    if (words.length > 0) await server.command('mailboxes', 'create', 'leaving', '--team', teamName)
    const { id, key } = await makeKey('--team', teamName, ...words)
    const waiting = reader(url, key).get('/v1/messages/latest', { tag: 'never', wait: HELD_SECONDS })
    const { promise: over, resolve: finish } = Promise.withResolvers<'over'>()
    void waiting.then(() => finish('over'))
    await vi.waitUntil(async () => valueOf(await scrape(url), 'mailhatch_waits_held') === 1)
    await end(id)
    while ((await Promise.race([over, reader(url, key).get('/v1/me')])) !== 'over');
    expect((await waiting).status).toBe(expected)
  })

  async function removeMailbox(name: string): Promise<void> {
    const { body } = await server.get<{ data: { id: string; name: string }[] }>('/v1/mailboxes')
    const { id } = body.data.find((mailbox) => mailbox.name === name)!
    expect((await ask(`${url}/v1/mailboxes/${id}`, { method: 'DELETE', key: apiKey })).status).toBe(200)
  }
})

describe('contract: order of checks: key, then validation, then scope', () => {
  test('a request without a key and with a bad parameter is 401', async () => {
    expect((await ask(`${url}/v1/messages?limit=0`)).status).toBe(401)
  })

  test('a bad parameter is 400, then a mailbox out of scope is 403', async () => {
    const alpha = reader(url, alphaKey.key)
    expect((await alpha.get('/v1/messages', { mailbox: 'beta', limit: 0 })).status).toBe(400)
    expect((await alpha.get('/v1/messages', { mailbox: 'beta', limit: 1 })).status).toBe(403)
  })
})

describe('scope email.mailbox: the key is bound to its mailbox', () => {
  const alpha = reader(url, alphaKey.key)

  test('without a filter the key sees only its mailbox', async () => {
    expect(await alpha.subjects()).toEqual(['for alpha'])
    expect((await alpha.latest()).data.subject).toBe('for alpha')
    expect(await server.subjects()).toEqual(['for beta', 'for alpha'])
  })

  test.each(['alpha', 'ALPHA', 'alpha@mailhatch.test', 'alpha+one'])(
    'its own mailbox as filter: %s',
    async (mailbox) => {
      expect(await alpha.subjects({ mailbox })).toEqual(['for alpha'])
    },
  )

  test.each(['beta', 'beta@mailhatch.test', 'beta+one', 'never-seen', 'alph'])(
    'error: key lacks permission for mailbox %s, 403 `Forbidden`',
    async (mailbox) => {
      for (const path of ['/v1/messages', '/v1/messages/latest']) {
        const { status, body } = await alpha.get(path, { mailbox })
        expect(status).toBe(403)
        expect(body).toEqual({ error: 'Forbidden', code: 'forbidden', requestId: expect.any(String) })
      }
    },
  )

  test('a message of another mailbox is 404, like a message that never existed', async () => {
    const foreign = await alpha.get(`/v1/messages/${betaMail.id}`)
    const unknown = await alpha.get(`/v1/messages/${randomUUID()}`)
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' })
    expect((await alpha.read(alphaMail.id)).subject).toBe('for alpha')
  })

  test('a message of another mailbox is not accepted as a page position', async () => {
    const { status, body } = await alpha.get('/v1/messages', { after_id: betaMail.id })
    expect(status).toBe(400)
    expect(body.code).toBe('cursor_not_found')
  })

  test('its near misses are only from its mailbox', async () => {
    const { body } = await alpha.get('/v1/messages/latest', { tag: 'none', explain: 1 })
    expect(body.arrived!.map(({ subject }) => subject)).toEqual(['for alpha'])
  })

  test('a message of another mailbox does not end its wait', async () => {
    const { cursor } = await alpha.me()
    const waiting = alpha.latest({ after: cursor, subject: 'ping', wait: 30 })
    await store({ mailbox: 'beta', subject: 'ping beta' })
    await store({ mailbox: 'alpha', subject: 'ping alpha' })
    expect((await waiting).data.subject).toBe('ping alpha')
  })
})

test('scope email.full: may read every mailbox of its team', async () => {
  const { key } = await makeKey('--team', teamName, '--scope', 'email.full')
  const full = reader(url, key)
  expect(await full.subjects({ subject: 'for' })).toEqual(['for beta', 'for alpha'])
  expect((await full.latest({ mailbox: 'alpha', subject: 'for' })).data.id).toBe(alphaMail.id)
  expect((await full.read(betaMail.id)).subject).toBe('for beta')
  expect((await full.me()).key.scopes).toEqual(['email.full'])
})

describe('contract: resources of another team are 404', () => {
  const teams: [string, Reader, string, string[]][] = [
    ['the other team', reader(url, otherKey.key), alphaMail.id, ['for the other team']],
    ['the first team', server, otherMail.id, ['for beta', 'for alpha']],
  ]

  test.each(teams)('%s returns only its own messages', async (_, team, foreignId, own) => {
    expect(await team.subjects({ subject: 'for' })).toEqual(own)
    const { status, body } = await team.get(`/v1/messages/${foreignId}`)
    expect(status).toBe(404)
    expect(body.error).toBe('Not found')
    expect((await team.get('/v1/messages', { after_id: foreignId })).status).toBe(400)
    const { body: miss } = await team.get('/v1/messages/latest', { tag: 'none', subject: 'for', explain: 1 })
    expect(miss.arrived!.map(({ subject }) => subject)).toEqual(expect.arrayContaining(own))
    expect(miss.arrived!.map(({ id }) => id)).not.toContain(foreignId)
  })

  test('an id that is announced for another team too is a message of its own there, and the first stays', async () => {
    const { body } = await post(url, { ...betaMail, domain: 'other.test' })
    expect(body.status).toBe('stored')
    expect((await reader(url, otherKey.key).read(betaMail.id)).domain).toBe('other.test')
    expect((await server.read(betaMail.id)).domain).toBe('mailhatch.test')
  })
})

describe('GET /v1/me', () => {
  test('contract: team, key, messageCount and the newest cursor, exactly', async () => {
    const before = await server.me()
    expect(before).toEqual({
      team: {
        id: expect.any(String),
        name: teamName,
        plan: 'enterprise',
        retentionDays: null,
        domain: 'mailhatch.test',
      },
      key: { id: expect.any(String), name: expect.any(String), scopes: ['api.full'], mailbox: null },
      messageCount: expect.any(Number),
      cursor: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
    })
    const { id } = await store()
    const after = await server.me()
    expect(after.messageCount).toBe(before.messageCount + 1)
    expect(after.cursor).toBe((await server.read(id)).cursor)
  })

  test('contract: a bound key shows its mailbox', async () => {
    expect((await reader(url, alphaKey.key).me()).key).toEqual({
      id: alphaKey.id,
      name: expect.any(String),
      scopes: ['email.mailbox'],
      mailbox: 'alpha',
    })
  })

  test('contract: the domain of a team without its own is the root domain', async () => {
    await server.command('teams', 'create', 'Rooted')
    const { key } = await makeKey('--team', 'Rooted', '--name', 'ci')
    const { team, key: own } = await reader(url, key).me()
    expect(team).toMatchObject({ name: 'Rooted', plan: 'starter', retentionDays: 14, domain: 'in.mailhatch.test' })
    expect(own.name).toBe('ci')
  })
})

describe('contract: keys are shown once and stored as a hash', () => {
  let listed: { id: string; masked: string }[]
  beforeAll(async () => {
    listed = await server.command('keys', 'list')
  })

  test('a key is mh_ and 36 base62 characters', () => {
    for (const key of [apiKey, alphaKey.key, otherKey.key]) expect(key).toMatch(/^mh_[0-9A-Za-z]{36}$/)
  })

  test('a listed key shows its first 6 and last 4 characters', () => {
    const { masked } = listed.find(({ id }) => id === alphaKey.id)!
    expect(masked.slice(0, 6)).toBe(alphaKey.key.slice(0, 6))
    expect(masked.slice(-4)).toBe(alphaKey.key.slice(-4))
    expect(JSON.stringify(listed)).not.toContain(alphaKey.key)
  })

  test('only the file api-key contains a key', async () => {
    const stored = await allStored(server.dataDir)
    const holding = (text: string) => stored.filter(({ content }) => content.includes(text)).map(({ name }) => name)
    expect(holding(apiKey)).toEqual(['api-key'])
    expect(holding(alphaKey.key)).toEqual([])
    expect(holding(alphaMail.id)).not.toEqual([])
  })
})
