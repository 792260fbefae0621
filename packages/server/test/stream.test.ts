import { randomUUID } from 'node:crypto'
import type { Mailbox } from '@mailhatch/sdk'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { openStore } from '../src/program/open-store.ts'
import { readConfig } from '../src/program/config.ts'
import { hashApiKey } from '../src/http/authenticate.ts'
import { ask, reader } from './support/ask.ts'
import { openEvents } from './support/event-stream.ts'
import { startFileServer } from './support/file-server.ts'
import { withDatabase } from './support/journey-database.ts'

const ORIGIN = 'https://app.example'
const PATH = '/v1/messages/stream'

type CreatedKey = { id: string; key: string }

const server = await startFileServer({ ALLOWED_API_ORIGINS: ORIGIN, RATE_LIMIT: 'on' })
const { url, apiKey, store, newMailbox, me, list } = server
const { name: teamName } = (await me()).team
const makeKey = (...words: string[]) => server.command<CreatedKey>('keys', 'create', ...words)

function open(query: Record<string, string> = {}, { key = apiKey, ...question }: Partial<Question> = {}) {
  return openEvents(`${url}${PATH}?${new URLSearchParams(query)}`, { key, ...question })
}
type Question = Parameters<typeof openEvents>[1]

const refusal = (query: string, headers: Record<string, string> = {}) =>
  ask(`${url}${PATH}?${query}`, { key: apiKey, headers })

describe('contract: the bytes of a stream', () => {
  test('headers', async () => {
    const { status, headers } = await open()
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.stringMatching(/^\S+$/),
      'x-ratelimit-limit': '5000',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  test('the first frame, then one for each message, with the summary that lists show', async () => {
    const mailbox = newMailbox()
    const stream = await open({ mailbox })
    const before = Date.now()
    await store({ mailbox, tag: 'x', subject: 'Grüße 👋 "quoted" \\ back' })
    await store({ mailbox, subject: 'lines\r\n\ndata: {}\n\nand ends \u0085 \u2028 \u2029 here' })
    await vi.waitFor(() => expect(stream.messages).toHaveLength(2))
    const [second, first] = (await list({ mailbox })).data
    const [connected, ...frames] = stream.text().split(/(?<=\n\n)/)
    expect(connected).toMatch(/^retry: 2000\nevent: connected\ndata: \{"timestamp":"[^"]+"\}\n\n$/)
    const { timestamp } = JSON.parse(connected!.split('data: ')[1]!) as { timestamp: string }
    expect(new Date(timestamp).toISOString()).toBe(timestamp)
    expect(Math.abs(Date.parse(timestamp) - before)).toBeLessThan(10_000)
    expect(frames[0]).toBe(`event: message.received\nid: ${first!.cursor}\ndata: ${JSON.stringify(first)}\n\n`)
    expect(stream.messages[1]).toEqual(second)
    expect(frames[1]!.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(5)
    expect(frames).toHaveLength(2)
  })

  test('allowed origins may read it', async () => {
    const { headers } = await open({}, { headers: { origin: ORIGIN } })
    expect(headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' })
    expect(headers['access-control-expose-headers']).toContain('X-Request-Id')
  })

  test('HEAD has headers and no stream', async () => {
    const response = await fetch(url + PATH, { method: 'HEAD', headers: { authorization: `Bearer ${apiKey}` } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe('')
  })

  test('another method is a 405', async () => {
    const { status, body } = await ask(url + PATH, { key: apiKey, method: 'POST' })
    expect([status, body.code]).toEqual([405, 'method_not_allowed'])
  })
})

describe('contract: where a stream starts', () => {
  const mailbox = newMailbox()
  const at = (second: number) => `2026-03-01T12:00:0${second}.000Z`
  const cursors: string[] = []

  beforeAll(async () => {
    // Received in another order than they become visible.
    for (const second of [3, 1, 2, 4]) {
      await store({ mailbox, subject: `at ${second}`, receivedAt: at(second) })
      cursors.push((await me()).cursor)
    }
  })

  test.each([
    { name: 'now', query: {}, stored: [] },
    { name: 'after a cursor', query: { after: 1 }, stored: ['at 1', 'at 2', 'at 4'] },
    { name: 'after the newest', query: { after: 4 }, stored: [] },
    { name: 'Last-Event-ID', lastEventId: 2, stored: ['at 2', 'at 4'] },
    { name: 'Last-Event-ID rather than after', query: { after: 1 }, lastEventId: 3, stored: ['at 4'] },
    { name: 'since', query: { since: at(2) }, stored: ['at 3', 'at 2', 'at 4'] },
    { name: 'since, with the seconds of a later one', query: { since: at(4) }, stored: ['at 4'] },
    { name: 'after, of those since', query: { after: 1, since: at(2) }, stored: ['at 2', 'at 4'] },
    { name: 'Last-Event-ID, of those since', query: { since: at(2) }, lastEventId: 3, stored: ['at 4'] },
    { name: 'what is no parameter here', query: { limit: '0', wait: 'x', after_id: 'y', explain: '7' }, stored: [] },
    { name: 'empty values', query: { after: '', since: '' }, headers: { 'last-event-id': '' }, stored: [] },
  ])('$name', async ({ query = {}, lastEventId, headers = {}, stored }) => {
    const given = Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'number' ? cursors[value - 1]! : value,
    ])
    const resumed = lastEventId === undefined ? {} : { lastEventId: cursors[lastEventId - 1]! }
    const tag = `t${Math.random().toString(36).slice(2)}`
    const stream = await open({ mailbox, ...Object.fromEntries(given) }, { headers, ...resumed })
    await store({ mailbox, tag, subject: 'live' })
    await vi.waitFor(() => expect(stream.messages.at(-1)?.tag).toBe(tag))
    const fromBefore = stream.messages.filter(({ receivedAt }) => receivedAt < '2026-04')
    expect(fromBefore.map(({ subject }) => subject)).toEqual(stored)
    expect(stream.messages.map(({ cursor }) => cursor)).toEqual(stream.cursors)
  })

  test.each([
    ['after=nonsense', {}, 'after'],
    ['after=17', {}, 'after'],
    ['', { 'last-event-id': 'nonsense' }, 'Last-Event-ID'],
    ['after=c1', { 'last-event-id': 'c01' }, 'Last-Event-ID'],
    ['since=2026-02-30', {}, 'since'],
    ['start=2026-02-02&end=2026-02-01', {}, 'start'],
    ['tag=a&tag=b', {}, 'tag'],
  ])('%s %o is refused', async (query, headers, name) => {
    const { status, body } = await refusal(query, headers)
    expect([status, body.code]).toEqual([400, 'validation_failed'])
    expect(body.details).toEqual({ [name]: [expect.any(String)] })
  })

  test('an invalid mailbox is refused as on the list', async () => {
    const { status, body } = await refusal('mailbox=a%20b%20c')
    expect([status, body.error]).toEqual([400, 'Invalid mailbox'])
  })
})

test('an interrupted stream resumes where it ended', async () => {
  const mailbox = newMailbox()
  const first = await open({ mailbox })
  await store({ mailbox, subject: 'one' })
  await store({ mailbox, subject: 'two' })
  await vi.waitFor(() => expect(first.subjects()).toEqual(['one', 'two']))
  first.destroy()
  await store({ mailbox, subject: 'three' })
  const second = await open({ mailbox }, { lastEventId: first.cursors[0]! })
  await store({ mailbox, subject: 'four' })
  await vi.waitFor(() => expect(second.subjects()).toEqual(['two', 'three', 'four']))
})

test.each<Record<string, string>>([
  { tag: 'yes' },
  { tags: 'no,yes' },
  { mailbox: 'BOX' },
  { mailbox: 'BOX+yes' },
  { subject: 'WANTED' },
  { text: 'in the body' },
  { header: 'X-Run: 7' },
  { q: 'in the body' },
  { from: 'wanted@' },
  { start: '2026-03-01', end: '2026-03-01' },
])('contract: the filters of the list apply to stored and new messages: %o', async (filter) => {
  const mailbox = newMailbox()
  const wanted = {
    mailbox,
    tag: 'yes',
    subject: 'wanted',
    from: 'wanted@shop.example',
    plainContent: 'it is in the body',
    headers: [{ name: 'x-run', value: '7' }],
    receivedAt: '2026-03-01T23:59:59.999Z',
  }
  const other = { mailbox: newMailbox(), tag: 'other', receivedAt: '2026-03-02T00:00:00Z' }
  const { cursor } = await me()
  const query: Record<string, string> = { ...filter, after: cursor }
  if (filter['mailbox']) query['mailbox'] = filter['mailbox'].replace('BOX', mailbox)
  const sent = [await store(wanted), await store(other)]
  const stream = await open(query)
  sent.push(await store(other), await store(wanted))
  await vi.waitFor(() => expect(stream.messages.at(-1)?.id).toBe(sent[3]!.id))
  expect(stream.messages.map(({ id }) => id)).toEqual([sent[0]!.id, sent[3]!.id])
})

describe('contract: keys', () => {
  test('without a key, or with an unknown one, there is no stream', async () => {
    expect((await ask(url + PATH)).status).toBe(401)
    expect((await ask(url + PATH, { key: 'unknown-key-that-is-long' })).status).toBe(401)
  })

  test('a key without read access gets a 403', async () => {
    const beside = await openStore(readConfig('serve', await withDatabase({ DATA_DIR: server.dataDir })), {
      error: () => expect.unreachable(),
    })
    const key = 'a-key-without-any-scope'
    const { id: teamId } = (await me()).team
    const rest = { name: 'none', masked: '', scopes: [], mailboxId: null, expiresAt: null, createdAt: 0 }
    await beside.addKey({ id: randomUUID(), teamId, hash: hashApiKey(key), ...rest })
    await beside.close()
    const { status, body } = await ask(url + PATH, { key })
    expect([status, body.error]).toEqual([403, 'Forbidden'])
  })

  test('another team receives nothing', async () => {
    await server.command('teams', 'create', 'Foreign', '--domain', 'foreign.test', '--plan', 'pro')
    const { key } = await makeKey('--team', 'Foreign')
    const stream = await open({ after: 'c0' }, { key })
    await store({ subject: 'ours' })
    await store({ subject: 'theirs', domain: 'foreign.test' })
    await vi.waitFor(() => expect(stream.subjects()).toEqual(['theirs']))
  })

  test('a key of one mailbox receives only its messages, and ends with it', async () => {
    const mailbox = newMailbox()
    await store({ mailbox, subject: 'stored' })
    const { key } = await makeKey('--team', teamName, '--mailbox', mailbox)
    const { status, body } = await ask(`${url}${PATH}?mailbox=${newMailbox()}`, { key })
    expect([status, body.error]).toEqual([403, 'Forbidden'])
    const streams = [await open({ after: 'c0' }, { key }), await open({ after: 'c0', mailbox }, { key })]
    const other = await open({ mailbox })
    await store({ mailbox: newMailbox(), subject: 'of another mailbox' })
    await store({ mailbox, subject: 'live' })
    for (const stream of streams) await vi.waitFor(() => expect(stream.subjects()).toEqual(['stored', 'live']))
    const [found] = (await reader(url, apiKey).get<{ data: Mailbox[] }>('/v1/mailboxes', { mailbox })).body.data
    expect((await ask(`${url}/v1/mailboxes/${found!.id}`, { key: apiKey, method: 'DELETE' })).status).toBe(200)
    expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual(['ended', 'ended'])
    expect(await Promise.race([other.closed, Promise.resolve('open')])).toBe('open')
  })

  test('a key revoked by another process loses its streams soon, and other keys keep theirs', async () => {
    const { id, key } = await makeKey('--team', teamName)
    const mailbox = newMailbox()
    const revoked = await open({ mailbox }, { key })
    const other = await open({ mailbox })
    await server.command('keys', 'revoke', id)
    expect(await revoked.closed).toBe('ended')
    await store({ mailbox, subject: 'after' })
    await vi.waitFor(() => expect(other.subjects()).toEqual(['after']))
    expect(revoked.subjects()).toEqual([])
  })
})
