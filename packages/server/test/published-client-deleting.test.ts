import { describe, expect, test } from 'vitest'
import { announcement, post, storeMany } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { publishedClient, refusalOf, refusalsOf } from './support/published-client.ts'
import { startServer } from './support/server.ts'

const server = await startFileServer()
const { url, store, newMailbox } = server
const client = publishedClient({ baseUrl: url, apiKey: server.apiKey })

describe('deleting one message', () => {
  test('returns its id, and the message disappears from every read', async () => {
    const mailbox = newMailbox()
    const kept = await store({ mailbox, subject: 'kept' })
    const { id } = await store({ mailbox, subject: 'gone' })
    expect(await client.deleteMessage(id)).toEqual({ id })
    for (const refusal of await refusalsOf([
      client.get(id),
      client.raw(id),
      client.attachment(id, 0),
      client.deleteMessage(id),
    ]))
      expect(refusal.status).toBe(404)
    expect(await refusalOf(client.deleteMessage(id))).toMatchObject({ status: 404, error: 'Not found' })
    expect((await client.list({ mailbox })).data.map(({ id }) => id)).toEqual([kept.id])
    expect((await client.latest({ mailbox }))?.id).toBe(kept.id)
    expect(await client.latest({ mailbox, q: 'gone' })).toBeNull()
  })

  test('announced again it is a duplicate, and stays deleted', async () => {
    const sent = await store({ mailbox: newMailbox() })
    await client.deleteMessage(sent.id)
    for (const again of [sent, { ...sent, mailbox: newMailbox() }]) {
      const { status, body } = await post(url, again)
      expect([status, body]).toEqual([200, { ok: true, status: 'duplicate', inboxMessageId: sent.id }])
    }
    expect((await refusalOf(client.get(sent.id))).status).toBe(404)
    expect(await client.latest({ mailbox: sent.mailbox })).toBeNull()
  })

  test('by ten concurrent requests: one deletes it, the others get 404', async () => {
    const { id } = await store({ mailbox: newMailbox() })
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => client.deleteMessage(id)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('the count of the team decreases', async () => {
    const before = (await server.me()).messageCount
    const { id } = await store({ mailbox: newMailbox() })
    expect((await server.me()).messageCount).toBe(before + 1)
    await client.deleteMessage(id)
    expect((await server.me()).messageCount).toBe(before)
  })

  test('the raw bytes of mail received by SMTP are deleted too', async () => {
    const { url, apiKey, sendMail } = await startServer()
    const client = publishedClient({ baseUrl: url, apiKey })
    await sendMail({ to: 'box@mailhatch.test', text: 'Hello', attachments: [{ filename: 'a.txt', content: 'a' }] })
    const { id } = await client.waitFor({ mailbox: 'box' })
    expect([(await client.raw(id)).status, (await client.attachment(id, 0)).status]).toEqual([200, 200])
    await client.deleteMessage(id)
    for (const refusal of await refusalsOf([client.raw(id), client.attachment(id, 0)])) expect(refusal.status).toBe(404)
  })
})

describe('deleting matching messages', () => {
  async function tenMessages() {
    const mailbox = newMailbox()
    const sent = await storeMany(url, 10, (number) => ({ mailbox, tag: number % 2 === 0 ? 'even' : 'odd' }))
    const left = async () => (await client.list({ mailbox })).data.map(({ id }) => id).toReversed()
    return { mailbox, sent, left }
  }

  test('by mailbox and tag', async () => {
    const { mailbox, sent, left } = await tenMessages()
    expect(await client.deleteMessages({ mailbox, tag: 'even' })).toEqual({ deleted: 5 })
    expect(await left()).toEqual(sent.filter(({ tag }) => tag === 'odd').map(({ id }) => id))
    expect(await client.deleteMessages({ mailbox, tag: 'even' })).toEqual({ deleted: 0 })
    const { body } = await post(url, sent[1]!)
    expect(body.status).toBe('duplicate')
  })

  test('by an unescaped plus', async () => {
    const { mailbox, left } = await tenMessages()
    expect(await client.deleteMessages(`mailbox=${mailbox}+odd`)).toEqual({ deleted: 5 })
    expect(await left()).toHaveLength(5)
  })

  test('more than a page, in one request', async () => {
    const mailbox = newMailbox()
    await storeMany(url, 260, () => ({ mailbox }))
    expect(await client.deleteMessages({ mailbox })).toEqual({ deleted: 260 })
    expect((await client.list({ mailbox })).data).toEqual([])
  })

  test.each(['', 'mailbox=', 'unknown=1', 'limit=10', 'mailbox=&tag=&q='])(
    'without a filter (%j) it is 400 and nothing is deleted',
    async (query) => {
      const { left } = await tenMessages()
      expect((await refusalOf(client.deleteMessages(query))).status).toBe(400)
      expect(await left()).toHaveLength(10)
    },
  )

  test.each(['mailbox=two  spaces', 'since=never', 'mailbox=a&mailbox=b', 'start=2024-02-30'])(
    'with an invalid filter (%s) it is 400',
    async (query) => {
      expect((await refusalOf(client.deleteMessages(query))).status).toBe(400)
    },
  )

  test('another team keeps its mail', async () => {
    await server.command('teams', 'create', 'Neighbour', '--domain', 'neighbour.test')
    const { key } = await server.command<{ key: string }>('keys', 'create', '--team', 'Neighbour')
    const neighbour = publishedClient({ baseUrl: url, apiKey: key })
    const mailbox = newMailbox()
    const theirs = await store({ domain: 'neighbour.test', mailbox })
    await store({ mailbox })
    expect(await client.deleteMessages({ mailbox })).toEqual({ deleted: 1 })
    expect((await neighbour.get(theirs.id)).id).toBe(theirs.id)
  })

  test('mail that arrives meanwhile is either kept or deleted completely', async () => {
    const mailbox = newMailbox()
    const sent = Array.from({ length: 50 }, () => announcement({ mailbox }))
    const [, { deleted }] = await Promise.all([
      Promise.all(sent.map((message) => post(url, message))),
      client.deleteMessages({ mailbox }),
    ])
    const { data } = await client.list({ mailbox })
    expect(data.length + deleted).toBe(50)
    for (const { id } of data) expect((await client.get(id)).id).toBe(id)
  })
})
