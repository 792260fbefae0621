import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startSilentProxy } from '../../test/replicas/silent-proxy.ts'
import { startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts'
import { messageFor } from '../store/store-contract.ts'
import type { ArrivedMessage } from '../store/messages.ts'
import { createPostgresFeed } from './postgres-feed.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const MESSAGE: ArrivedMessage = {
  ...messageFor({ id: 'box', teamId: 'team', name: 'qa', domain: 'qa.test', createdAt: 0, updatedAt: 0 }),
  position: 1,
  mailboxId: 'box',
  mailbox: 'qa',
  attachmentCount: 0,
}

/** A feed of one replica, and what its only listener received, from when this resolves. */
async function startFeed(url = server.url(), now?: () => number) {
  const errors: unknown[] = []
  const feed = createPostgresFeed({ url, onError: (error) => void errors.push(error), ...(now && { now }) })
  onTestFinished(() => feed.close())
  const heard: (ArrivedMessage | null)[] = []
  feed.subscribe('team', (message) => void heard.push(message))
  // After connecting, it wakes all listeners.
  await vi.waitFor(() => expect(heard).toEqual([null]))
  heard.length = 0
  return { feed, heard, errors }
}

async function query(text: string): Promise<number> {
  const client = new pg.Client(server.url())
  await client.connect()
  try {
    return (await client.query(text)).rowCount ?? 0
  } finally {
    await client.end()
  }
}

/** What is sent to the processes, without the sender and without signs of life. */
async function listen(): Promise<string[]> {
  const client = new pg.Client(server.url())
  await client.connect()
  onTestFinished(() => client.end())
  const told: string[] = []
  client.on('notification', ({ payload }) => {
    const text = payload!.replace(/^[\da-f-]{36} /, '')
    if (text !== '.') told.push(text)
  })
  await client.query('listen mailhatch')
  return told
}

test('a wake-up arrives in its own process at once and with its message, in others later and without it, and once each', async () => {
  const [a, b, c] = [await startFeed(), await startFeed(), await startFeed()]
  a.feed.wake('team', MESSAGE)
  expect(a.heard).toEqual([MESSAGE])
  await vi.waitFor(() => expect([b.heard, c.heard]).toEqual([[null], [null]]))
  b.feed.wake('team', MESSAGE)
  await vi.waitFor(() => expect(a.heard).toEqual([MESSAGE, null]))
  expect(b.heard).toEqual([null, MESSAGE])
  a.feed.wake('another team', null)
  c.feed.wake('team', null)
  await vi.waitFor(() =>
    expect([a.heard, b.heard]).toEqual([
      [MESSAGE, null, null],
      [null, MESSAGE, null],
    ]),
  )
})

test('many wake-ups in one turn cause one notification per team, which contains only the team', async () => {
  const { feed } = await startFeed()
  const told = await listen()
  for (let count = 0; count < 1_000; count++) feed.wake(`team ${count % 3}`.replace(' ', ''), MESSAGE)
  await vi.waitFor(() => expect(told).toHaveLength(3))
  expect(told).toEqual(['team0', 'team1', 'team2'])
})

test('a process that has heard no other for a while sends no notifications, until it hears one', async () => {
  let passedMs = 0
  const alone = await startFeed(server.url(), () => passedMs)
  const told = await listen()
  alone.feed.wake('team', MESSAGE)
  await vi.waitFor(() => expect(told).toEqual(['team']))
  passedMs += 5_001
  alone.feed.wake('team', MESSAGE)
  await alone.feed.broadcasts.send('sent later')
  await vi.waitFor(() => expect(told).toEqual(['team', '! sent later']))
  const other = await startFeed()
  await vi.waitFor(() => {
    alone.feed.wake('team', MESSAGE)
    expect(other.heard).not.toEqual([])
  })
  // The other one goes on saying that it is there.
  passedMs += 5_001
  await vi.waitFor(() => {
    other.heard.length = 0
    alone.feed.wake('team', MESSAGE)
    return vi.waitFor(() => expect(other.heard).not.toEqual([]), { timeout: 100 })
  }, 10_000)
})

test('a text reaches all other processes, and without a connection it is reported as not sent', async () => {
  const [a, b] = [await startFeed(), await startFeed()]
  const [ofA, ofB]: (string | null)[][] = [[], []]
  a.feed.broadcasts.onMessage((text) => void ofA!.push(text))
  b.feed.broadcasts.onMessage((text) => void ofB!.push(text))
  expect(await a.feed.broadcasts.send('{"is": "a question"}')).toBe(true)
  await vi.waitFor(() => expect(ofB).toEqual(['{"is": "a question"}']))
  await server.restart('kill', async () => {
    await vi.waitFor(() => expect(b.errors).toHaveLength(1))
    expect(await b.feed.broadcasts.send('lost')).toBe(false)
  })
  // Some may have been lost.
  await vi.waitFor(() => expect([ofA, ofB]).toEqual([[null], ['{"is": "a question"}', null]]))
  expect([a.heard, b.heard]).toEqual([[null], [null]])
})

test('a listener whose connection ends reconnects, checks for new messages, and receives wake-ups again', async () => {
  const [a, b] = [await startFeed(), await startFeed()]
  const ended = await query(`select pg_terminate_backend(pid) from pg_stat_activity
                             where application_name like 'mailhatch % feed'`)
  expect(ended).toBeGreaterThanOrEqual(2)
  await vi.waitFor(() => expect([a.heard, b.heard]).toEqual([[null], [null]]))
  a.feed.wake('team', null)
  await vi.waitFor(() => expect(b.heard).toEqual([null, null]))
  // Reported once each, independent of the number of attempts.
  expect([a.errors.length, b.errors.length]).toEqual([1, 1])
})

test('a connection that is lost silently is noticed', async () => {
  const proxy = await startSilentProxy(server.url())
  onTestFinished(() => proxy.close())
  const cut = await startFeed(proxy.url)
  const other = await startFeed()
  proxy.silence()
  other.feed.wake('team', null)
  await vi.waitFor(() => expect(cut.heard).toEqual([null]))
  other.feed.wake('team', null)
  await vi.waitFor(() => expect(cut.heard).toEqual([null, null]))
})

test('a wake-up without a connection arrives in its own process, and the feed reconnects to a restarted database', async () => {
  const { feed, heard, errors } = await startFeed()
  const other = await startFeed()
  await server.restart('kill', async () => {
    await vi.waitFor(() => expect(errors).toHaveLength(1))
    feed.wake('team', MESSAGE)
    expect(heard).toEqual([MESSAGE])
    expect(await feed.holdsLock(1)).toBe(false)
  })
  await vi.waitFor(() => expect([heard, other.heard]).toEqual([[MESSAGE, null], [null]]))
  other.feed.wake('team', null)
  await vi.waitFor(() => expect(heard).toEqual([MESSAGE, null, null]))
})

test('a connection to a server that became read-only is closed, and reopened to a server that accepts writes', async () => {
  const { feed, heard, errors } = await startFeed()
  const set = async (change: string) => {
    await query(`alter system ${change}`)
    await query('select pg_reload_conf()')
  }
  onTestFinished(() => set('reset default_transaction_read_only'))
  await set('set default_transaction_read_only = on')
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  expect(await feed.holdsLock(1)).toBe(false)
  await set('reset default_transaction_read_only')
  await vi.waitFor(() => expect(heard).toEqual([null]))
  expect(await feed.holdsLock(1)).toBe(true)
})

test('one process has the turn, and another one gets it when that process has ended', async () => {
  const [a, b] = [await startFeed(), await startFeed()]
  expect([await a.feed.holdsLock(7), await a.feed.holdsLock(7), await b.feed.holdsLock(7)]).toEqual([true, true, false])
  expect(await b.feed.holdsLock(8)).toBe(true)
  await a.feed.close()
  await expect.poll(() => b.feed.holdsLock(7)).toBe(true)
})
