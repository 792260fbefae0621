import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { startFileServer } from './support/file-server.ts'
import {
  AuthenticationError,
  ForbiddenError,
  NotFoundError,
  publishedClient,
  refusalOf,
  refusalsOf,
  WaitTimeoutError,
  type PublishedClient,
} from './support/published-client.ts'

const UNAUTHORIZED = { status: 401, error: 'Unauthorized', code: 'unauthorized' }
const FORBIDDEN = { status: 403, error: 'Forbidden', code: 'forbidden' }
const NOT_FOUND = { status: 404, error: 'Not found', code: expect.stringMatching(/^(message_)?not_found$/) }

const server = await startFileServer()
const { url, store, newMailbox } = server
const client = publishedClient({ baseUrl: url, apiKey: server.apiKey })
const { name: teamName } = (await server.me()).team

async function clientWithKey(...words: string[]): Promise<PublishedClient> {
  const { key } = await server.command<{ key: string }>('keys', 'create', ...words)
  return publishedClient({ baseUrl: url, apiKey: key })
}

describe('errors are the ones that clients map', () => {
  test('a wrong key is an authentication error', async () => {
    const stranger = publishedClient({ baseUrl: url, apiKey: 'mh_000000000000000000000000000000000000' })
    await expect(stranger.list()).rejects.toBeInstanceOf(AuthenticationError)
    for (const refusal of await refusalsOf([
      stranger.list(),
      stranger.listMailboxes(),
      stranger.rotateKey(),
      stranger.get(randomUUID()),
    ]))
      expect(refusal).toEqual(UNAUTHORIZED)
  })

  test('a read-only key that writes is a forbidden error', async () => {
    const reader = await clientWithKey('--team', teamName, '--scope', 'email.full')
    const { id, mailbox } = await store({ mailbox: newMailbox() })
    const { mailboxId } = await reader.get(id)
    await expect(reader.deleteMessage(id)).rejects.toBeInstanceOf(ForbiddenError)
    const writes = [
      reader.deleteMessage(id),
      reader.deleteMessage(randomUUID()),
      reader.deleteMessages({ mailbox }),
      reader.createMailbox('anything'),
      reader.renameMailbox(mailboxId, 'anything'),
      reader.deleteMailbox(mailboxId),
      reader.rotateKey(),
    ]
    for (const refusal of await refusalsOf(writes)) expect(refusal).toEqual(FORBIDDEN)
    expect((await reader.get(id)).id).toBe(id)
  })

  test('validation comes before the scope', async () => {
    const reader = await clientWithKey('--team', teamName, '--scope', 'email.full')
    expect(await refusalOf(reader.createMailbox(undefined))).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(await refusalOf(reader.deleteMessages('since=never'))).toMatchObject({ status: 400 })
  })

  test.each(['00000000-0000-4000-8000-000000000000', 'malformed', '1', '%00', 'a%2Fb', 'x'.repeat(300)])(
    'message %s does not exist',
    async (id) => {
      await expect(client.get(id)).rejects.toBeInstanceOf(NotFoundError)
      const requests = [client.get(id), client.raw(id), client.attachment(id, 0), client.deleteMessage(id)]
      for (const refusal of await refusalsOf(requests)) expect(refusal).toMatchObject({ status: 404 })
      expect(await refusalOf(client.get(id))).toEqual(NOT_FOUND)
    },
  )

  test('resources of another team do not exist', async () => {
    await server.command('teams', 'create', 'Neighbour', '--domain', 'neighbour.test')
    const neighbour = await clientWithKey('--team', 'Neighbour')
    const { id } = await store({ domain: 'neighbour.test' })
    const { mailboxId } = await neighbour.get(id)
    const refusals = (message: string, mailbox: string) =>
      refusalsOf([
        client.get(message),
        client.raw(message),
        client.attachment(message, 0),
        client.deleteMessage(message),
        client.renameMailbox(mailbox, 'mine'),
        client.deleteMailbox(mailbox),
      ])
    const theirs = await refusals(id, mailboxId)
    expect(theirs.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
    expect(theirs).toEqual(await refusals(randomUUID(), randomUUID()))
    expect((await neighbour.get(id)).id).toBe(id)
  })
})

describe('waiting by polling', () => {
  test('a 404 from latest keeps the client polling until the mail arrives', async () => {
    const mailbox = newMailbox()
    const waiting = client.waitFor({ mailbox }, { intervalMs: 5 })
    expect(await client.latest({ mailbox })).toBeNull()
    const sent = await store({ mailbox })
    expect((await waiting).id).toBe(sent.id)
  })

  test('a wait without mail is a timeout error', async () => {
    const waiting = client.waitFor({ mailbox: newMailbox() }, { intervalMs: 10, timeoutMs: 100 })
    await expect(waiting).rejects.toBeInstanceOf(WaitTimeoutError)
  })

  test('latest without messages has its own error', async () => {
    const latest = client.send('GET', `/v1/messages/latest?mailbox=${newMailbox()}`)
    expect(await refusalOf(latest)).toEqual({ status: 404, error: 'No messages found', code: 'message_not_found' })
  })
})

describe('a key bound to a mailbox', () => {
  const mailbox = newMailbox()
  let bound: PublishedClient
  beforeAll(async () => {
    await store({ mailbox, subject: 'mine' })
    await store({ mailbox: newMailbox(), subject: 'not mine' })
    bound = await clientWithKey('--team', teamName, '--mailbox', mailbox)
  })

  test('returns only its own messages and mailbox', async () => {
    expect((await bound.list()).data.map(({ subject }) => subject)).toEqual(['mine'])
    expect((await bound.listMailboxes()).map(({ name }) => name)).toEqual([mailbox])
  })

  test('another mailbox in the filter is forbidden, whether it exists or not', async () => {
    for (const other of [newMailbox(), 'never-made']) {
      expect(await refusalOf(bound.list({ mailbox: other }))).toEqual(FORBIDDEN)
      expect(await refusalOf(bound.latest({ mailbox: other }))).toEqual(FORBIDDEN)
    }
  })

  test('another message does not exist, nor do its raw mail and attachments', async () => {
    const { id } = await store({ mailbox: newMailbox() })
    for (const refusal of await refusalsOf([bound.get(id), bound.raw(id), bound.attachment(id, 0)]))
      expect(refusal).toMatchObject({ status: 404 })
  })
})

describe('rotating the key', () => {
  test('the new key works, and the old one is invalid at once', async () => {
    const old = await clientWithKey('--team', teamName, '--name', 'ci')
    const { key, apiKey: record, ...rest } = await old.rotateKey()
    expect(rest).toEqual({})
    expect(key).toMatch(/^mh_[0-9A-Za-z]{36}$/)
    expect(record).toEqual({
      id: expect.any(String),
      name: 'ci',
      keyMasked: expect.stringMatching(new RegExp(`^${key.slice(0, 6)}.*${key.slice(-4)}$`)),
      scopes: ['api.full'],
      mailboxName: null,
      expiresAt: null,
    })
    expect(String(record['keyMasked'])).not.toContain(key.slice(6, -4))
    expect(await refusalOf(old.list())).toEqual(UNAUTHORIZED)
    expect(await refusalOf(old.rotateKey())).toEqual(UNAUTHORIZED)
    expect(await publishedClient({ baseUrl: url, apiKey: key }).list()).toMatchObject({ data: expect.any(Array) })
  })

  test('of many concurrent rotations, one gets the new key, which works', async () => {
    const old = await clientWithKey('--team', teamName)
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => old.rotateKey()))
    const [winner, ...others] = results.filter((result) => result.status === 'fulfilled')
    expect(others).toEqual([])
    expect(await publishedClient({ baseUrl: url, apiKey: winner!.value.key }).list()).toMatchObject({ has_more: false })
  })
})

describe('the stream', () => {
  const isMessage = ({ event }: { event: string }) => event === 'message.received'

  test('confirms the connection, then sends each matching message', async () => {
    const mailbox = newMailbox()
    const events = client.stream({ mailbox })
    const { value: connected } = await events.next()
    expect(connected).toEqual({ event: 'connected', data: { timestamp: expect.any(String) }, id: null, retry: '2000' })
    await store({ mailbox: newMailbox() })
    const sent = await store({ mailbox, tag: 'one' })
    for await (const event of events) {
      if (!isMessage(event)) continue
      const [summary] = (await client.list({ mailbox })).data
      expect(event).toEqual({ event: 'message.received', data: summary, id: summary!.cursor, retry: null })
      expect(summary!.id).toBe(sent.id)
      break
    }
  })

  test('resumes with Last-Event-ID', async () => {
    const mailbox = newMailbox()
    await store({ mailbox, subject: 'seen' })
    const [seen] = (await client.list({ mailbox })).data
    await store({ mailbox, subject: 'missed 1' })
    await store({ mailbox, subject: 'missed 2' })
    const received: unknown[] = []
    for await (const event of client.stream({ mailbox }, { lastEventId: seen!.cursor })) {
      if (isMessage(event)) received.push(event.data)
      if (received.length === 2) break
    }
    expect(received).toMatchObject([{ subject: 'missed 1' }, { subject: 'missed 2' }])
  })

  test('ends when its key is rotated', async () => {
    const dying = await clientWithKey('--team', teamName)
    const events = dying.stream()
    await events.next()
    await dying.rotateKey()
    for await (const { event } of events) expect(event).toBe('ping')
    expect(await refusalOf(dying.stream().next())).toEqual(UNAUTHORIZED)
  })
})
