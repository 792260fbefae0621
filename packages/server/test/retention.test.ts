import { describe, expect, test } from 'vitest'
import { store as storeAt } from './support/announce.ts'
import { reader } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { startServer } from './support/server.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const servers = {
  starter: await startFileServer({ DEFAULT_PLAN: 'starter' }),
  pro: await startFileServer({ DEFAULT_PLAN: 'pro' }),
  enterprise: await startFileServer(),
}

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()

describe.each([
  { plan: 'starter' as const, days: 14 },
  { plan: 'pro' as const, days: 90 },
])('limit: retention on $plan is $days days', ({ plan, days }) => {
  const server = servers[plan]
  const { store, list, latest, get, me, read, newMailbox } = server

  test('/v1/me shows the plan', async () => {
    expect((await me()).team).toMatchObject({ plan, retentionDays: days })
  })

  test('a message a minute younger is found by every read', async () => {
    const mailbox = newMailbox()
    const { messageCount } = await me()
    const { id } = await store({ mailbox, receivedAt: ago(days * DAY_MS - MINUTE_MS) })
    expect((await list({ mailbox })).data).toMatchObject([{ id }])
    expect((await latest({ mailbox })).data.id).toBe(id)
    expect((await read(id)).id).toBe(id)
    expect((await me()).messageCount).toBe(messageCount + 1)
  })

  test('a message a minute older is found by no read', async () => {
    const mailbox = newMailbox()
    const { messageCount, cursor } = await me()
    const { id, receivedAt } = await store({ mailbox, receivedAt: ago(days * DAY_MS + MINUTE_MS) })
    expect((await list({ mailbox })).data).toEqual([])
    expect((await list({ mailbox, after: cursor })).data).toEqual([])
    expect((await list({ mailbox, since: receivedAt, start: receivedAt.slice(0, 10) })).data).toEqual([])
    expect((await get('/v1/messages/latest', { mailbox })).status).toBe(404)
    const { status, body } = await get(`/v1/messages/${id}`)
    expect(status).toBe(404)
    expect(body.error).toBe('Not found')
    const { body: miss } = await get('/v1/messages/latest', { mailbox, tag: 'x', after: cursor, explain: 1 })
    expect(miss.arrived).toEqual([])
    const { body: paged } = await get('/v1/messages', { after_id: id })
    expect(paged.code).toBe('cursor_not_found')
    expect((await me()).messageCount).toBe(messageCount)
  })

  test('a message disappears from reads the moment it expires', async () => {
    const clock = { now: Date.now() }
    const { url, apiKey } = await startServer({ DEFAULT_PLAN: plan }, () => clock.now)
    const { get, list, me } = reader(url, apiKey)
    const { id } = await storeAt(url, { receivedAt: new Date(clock.now).toISOString() })
    const overAt = clock.now + days * DAY_MS
    const shown = async () => ({
      detail: (await get(`/v1/messages/${id}`)).status,
      latest: (await get('/v1/messages/latest')).status,
      listed: (await list()).data.length,
      messageCount: (await me()).messageCount,
    })
    clock.now = overAt
    expect(await shown()).toEqual({ detail: 200, latest: 200, listed: 1, messageCount: 1 })
    clock.now = overAt + 1
    expect(await shown()).toEqual({ detail: 404, latest: 404, listed: 0, messageCount: 0 })
  })

  test('an expired message does not end a wait', async () => {
    const mailbox = newMailbox()
    const waiting = latest({ mailbox, wait: 30 })
    await store({ mailbox, subject: 'expired', receivedAt: ago(days * DAY_MS + MINUTE_MS) })
    await store({ mailbox, subject: 'fresh' })
    expect((await waiting).data.subject).toBe('fresh')
  })
})

test('limit: retention on enterprise is custom, by default messages are kept', async () => {
  const { store, read, me } = servers.enterprise
  expect((await me()).team).toMatchObject({ plan: 'enterprise', retentionDays: null })
  const { id } = await store({ receivedAt: ago(3_650 * DAY_MS) })
  expect((await read(id)).id).toBe(id)
})
