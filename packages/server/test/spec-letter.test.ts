import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROUTES } from '../src/http/routes/routes.ts'
import { startFileServer } from './support/file-server.ts'
import { announcement, post } from './support/announce.ts'
import { makeTeam } from './support/made-team.ts'
import { ask } from './support/ask.ts'
import { apiDocument } from './support/documented.ts'
import { openPeople } from './support/people.ts'

const server = await startFileServer()
const { url, apiKey, dataDir, get, list, store, command } = server
const { operator } = await openPeople(server)

test('intake trims sender, recipient and subject only at their ends', async () => {
  const mailbox = server.newMailbox()
  await store({ mailbox, subject: ' \t two  words \r\n', from: ' a@b.example ', to: ` ${mailbox}@mailhatch.test ` })
  const [message] = (await list({ mailbox })).data
  expect(message).toMatchObject({ subject: 'two  words', from: 'a@b.example', to: `${mailbox}@mailhatch.test` })
})

test('intake refuses a name with NUL, which mail cannot have', async () => {
  for (const field of ['mailbox', 'mailboxWithTag', 'tag', 'domain', 'tenantSubdomain']) {
    const { status, body } = await post(url, { ...announcement(), [field]: 'a\0b' })
    expect([status, body.details]).toEqual([422, { [field]: ['must not contain NUL'] }])
  }
})

test('names may have 64 characters of any byte length', async () => {
  const mailbox = '😀'.repeat(64)
  await store({ mailbox, mailboxWithTag: mailbox })
  expect((await list({ mailbox })).data).toHaveLength(1)
  const { status } = await post(url, { ...announcement(), mailbox: `${mailbox}😀` })
  expect(status).toBe(422)
})

test('contract: changes need api.full', () => {
  const changing = ROUTES.filter(({ method, path }) => method !== 'get' && path.startsWith('/v1/'))
  expect(changing.length).toBeGreaterThan(10)
  expect(changing.filter(({ access }) => access !== 'api.full')).toEqual([])
})

describe('Allow lists the methods of that exact path', () => {
  const ID = '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'
  const headers = { authorization: `Bearer ${apiKey}` }
  const methodsOf = (operations: object) =>
    Object.keys(operations).flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
  const paths = Object.entries(apiDocument.paths).map(([path, operations]) => [path, methodsOf(operations)] as const)

  test.each(paths)('%s: %j', async (template, methods) => {
    const path = url + template.replaceAll(/\{\w+\}/g, ID)
    const others = ['OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'].filter((method) => !methods.includes(method))
    for (const method of others) {
      const answer = await fetch(path, { method, headers })
      const allowed = answer.headers.get('allow')?.split(', ').sort()
      expect([method, answer.status, allowed]).toEqual([method, 405, methods.toSorted()])
    }
    for (const method of methods.filter((one) => one === 'HEAD'))
      expect((await fetch(path, { method, headers })).status).not.toBe(405)
    const asking = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
    const preflight = await fetch(path, { method: 'OPTIONS', headers: asking })
    expect(preflight.headers.get('allow')?.split(', ').sort()).toEqual(methods.toSorted())
  })

  test('a path without its id is unknown', async () => {
    for (const path of [
      '/v1/messages/',
      '/v1/mailboxes/',
      '/v1/webhooks//deliveries',
      `/v1/messages/${ID}/attachments/`,
    ]) {
      const answer = await fetch(url + path, { headers })
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 404, null])
    }
  })
})

describe('an existing mailbox can be read with any characters in its name', () => {
  const names = [
    '"quoted"',
    'a b',
    'a  b',
    'semi;colon',
    'brack[et]',
    '(round)',
    'back\\slash',
    'a:b',
    'a,b',
    '<x>',
    'é è',
    '\u0001control',
  ]
  test.each(names)('%s', async (name) => {
    const query = new URLSearchParams({ mailbox: name }).toString()
    const paths = ['/v1/messages', '/v1/mailboxes']
    // One inner space is read as a plus sign and is valid.
    const before = name.split(' ').length === 2 ? 200 : 400
    for (const path of paths) expect((await get(path, query)).status).toBe(before)
    const { id } = await store({ mailbox: name, mailboxWithTag: name })
    await store({ mailbox: 'another' })
    expect((await list(query)).data.map((message) => message.id)).toEqual([id])
    const full = new URLSearchParams({ mailbox: `${name.toUpperCase()}@mailhatch.test` }).toString()
    expect((await list(full)).data.map((message) => message.id)).toEqual([id])
    const latest = await server.latest(query)
    expect(latest.data.id).toBe(id)
    expect((await list(`mailbox=&${query}&mailbox=`)).data.map((message) => message.id)).toEqual([id])
    const { call } = await operator()
    const asked = { mailbox: name, subject: '' }
    expect((await call.inbox.messages.list.query(asked)).messages.map((message) => message.id)).toEqual([id])
    expect((await call.inbox.messages.count.query(asked)).count).toBe(1)
    const mailboxes = await get<{ data: { name: string }[] }>('/v1/mailboxes', query)
    expect(mailboxes.body.data.map((mailbox) => mailbox.name)).toEqual([name])
    // A mailbox of another team is as unknown as a missing one.
    const other = await makeTeam({ DATA_DIR: dataDir }, { name: `Other ${name}`, plan: 'pro' })
    const theirs = await ask<{ code: string }>(`${url}/v1/messages?${query}`, { key: other })
    expect(theirs.status).toBe(before)
  })

  test('by its address too, if the name alone is not unusual', async () => {
    const address = 'two..dots@mailhatch.test'
    expect((await list({ mailbox: address })).data).toEqual([])
    const { id } = await store({ mailbox: 'two..dots', mailboxWithTag: 'two..dots' })
    expect((await list({ mailbox: address })).data.map((message) => message.id)).toEqual([id])
  })

  test('the dashboard deletes it, and refuses an invalid one that does not exist', async () => {
    await store({ mailbox: 'gone;soon', mailboxWithTag: 'gone;soon' })
    const { call } = await operator()
    expect(await call.inbox.messages.removeAll.mutate({ mailbox: 'gone;soon' })).toEqual({ deleted: 1 })
    await expect(call.inbox.messages.list.query({ mailbox: 'not;there' })).rejects.toThrow('Invalid mailbox')
  })

  test('a key bound to another mailbox does not see it', async () => {
    await store({ mailbox: 'one;two', mailboxWithTag: 'one;two' })
    await store({ mailbox: 'bound' })
    const { key } = await command<{ key: string }>('keys', 'create', '--team', 'My Team', '--mailbox', 'bound')
    const { status, body } = await ask(`${url}/v1/messages?mailbox=one;two`, { key })
    expect([status, body.code]).toEqual([400, 'mailbox_invalid'])
    const { key: own } = await command<{ key: string }>('keys', 'create', '--team', 'My Team', '--mailbox', 'one;two')
    expect((await ask(`${url}/v1/messages?mailbox=one;two`, { key: own })).status).toBe(200)
    expect((await ask(`${url}/v1/messages?mailbox=one;two`, { key: apiKey, method: 'DELETE' })).status).toBe(200)
  })
})

describe('likely typos in query names', () => {
  test.each([
    ['/v1/messages?malbox=qa', 'mailbox'],
    ['/v1/messages/latest?sbject=x', 'subject'],
    ['/v1/messages/stream?form=x', 'from'],
    ['/v1/mailboxes?mailboxs=qa', 'mailbox'],
    ['/v1/rejections?limt=3', 'limit'],
    ['/v1/webhooks/0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24/deliveries?ofset=3', 'offset'],
    // An empty value counts as missing.
    ['/v1/messages?mailbox=&malbox=qa', 'mailbox'],
    // Swapped, with another letter between the two.
    ['/v1/messages?axmilbox=qa', 'mailbox'],
  ])('%s: %s was meant', async (path, meant) => {
    const { status, body } = await get(path)
    expect([status, body.code]).toEqual([400, 'unknown_parameter'])
    expect(body.error).toContain(meant)
  })

  test.each([
    '/v1/messages?page=2',
    '/v1/messages?qq=x',
    '/v1/messages?mailbox=qa&malbox=qa',
    '/v1/messages?malbox=',
    '/v1/messages?utm_source=x',
  ])('%s: other names are ignored', async (path) => {
    expect((await get(path)).status).toBe(200)
  })

  test('a removal with a typo deletes nothing', async () => {
    const { id } = await store({ subject: 'stays' })
    const { status } = await ask(`${url}/v1/messages?tag=none&subjct=stays`, { key: apiKey, method: 'DELETE' })
    expect(status).toBe(400)
    expect((await get(`/v1/messages/${id}`)).status).toBe(200)
  })
})

test('DATA_DIR/api-key follows the first key when it is rotated, and no other key', async () => {
  const path = join(dataDir, 'api-key')
  const kept = () => readFileSync(path, 'utf8').trim()
  const rotate = (key: string) => ask<{ data: { key: string } }>(`${url}/v1/api-keys/rotate`, { key, method: 'POST' })
  const { key: other } = await command<{ key: string }>('keys', 'create', '--team', 'My Team')
  expect((await rotate(other)).status).toBe(200)
  expect(kept()).toBe(apiKey)
  const { body } = await rotate(apiKey)
  expect(kept()).toBe(body.data.key)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await ask(`${url}/v1/me`, { key: kept() })).status).toBe(200)
  // In the dashboard, too.
  const { call } = await operator()
  const first = (await call.apiKeys.list.query()).find(({ name }) => name === 'First key')!
  const { key } = await call.apiKeys.rotate.mutate({ id: first.id })
  expect(kept()).toBe(key)
  expect((await ask(`${url}/v1/me`, { key: kept() })).status).toBe(200)
})
