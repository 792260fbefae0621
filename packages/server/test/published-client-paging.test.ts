import type { Announcement } from '@mailhatch/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { store, storeMany } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { publishedClient, refusalOf } from './support/published-client.ts'

const CURSOR_GONE = {
  status: 400,
  error: 'Cursor message not found. It may have been deleted.',
  code: 'cursor_not_found',
}
const FIRST_SECOND = Date.UTC(2024, 4, 1, 12)

const server = await startFileServer()
const { url, newMailbox } = server
const client = publishedClient({ baseUrl: url, apiKey: server.apiKey })

/** Five per millisecond, so that pages end between messages with the same time. */
const receivedAt = (number: number) => new Date(FIRST_SECOND + Math.floor(number / 5)).toISOString()

const fill = (mailbox: string, count: number): Promise<Announcement[]> =>
  storeMany(url, count, (number) => ({ mailbox, subject: `old ${number}`, receivedAt: receivedAt(number) }))

const newestFirst = (sent: Announcement[]) => sent.map(({ id }) => id).toReversed()

/** All ids in the order they appeared. `between` runs after each page with its ids. */
async function idsSeen(
  query: Record<string, string | number>,
  between: (pageIds: string[]) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  for await (const page of client.pages(query)) {
    const ids = page.map(({ id }) => id)
    seen.push(...ids)
    await between(ids)
  }
  return seen
}

/** New mail on top, and delayed mail that sorts among or below existing messages. */
async function arriveMeanwhile(mailbox: string): Promise<void> {
  await store(url, { mailbox, subject: 'new' })
  await store(url, { mailbox, subject: 'late', receivedAt: receivedAt(3) })
  await store(url, { mailbox, subject: 'late', receivedAt: receivedAt(50) })
}

describe('paging over 1,000 messages', () => {
  const mailbox = newMailbox()
  let old: Announcement[] = []
  beforeAll(async () => {
    old = await fill(mailbox, 1_000)
  })

  test('returns each exactly once, newest first, in five pages of 200', async () => {
    const sizes: number[] = []
    const seen = await idsSeen({ mailbox, limit: 200 }, async (ids) => sizes.push(ids.length))
    expect(sizes).toEqual([200, 200, 200, 200, 200])
    expect(seen).toEqual(newestFirst(old))
  })

  test('returns each exactly once while new ones arrive', async () => {
    const isOld = new Set(old.map(({ id }) => id))
    const seen = await idsSeen({ mailbox, limit: 200 }, () => arriveMeanwhile(mailbox))
    expect(seen.filter((id) => isOld.has(id))).toEqual(newestFirst(old))
    expect(new Set(seen).size).toBe(seen.length)
  })
})

test.each([
  [1, 15],
  [7, 60],
  [61, 60],
])('pages of %i of %i messages, while new ones arrive', async (limit, count) => {
  const mailbox = newMailbox()
  const old = await fill(mailbox, count)
  const isOld = new Set(old.map(({ id }) => id))
  const seen = await idsSeen({ mailbox, limit }, () => arriveMeanwhile(mailbox))
  expect(seen.filter((id) => isOld.has(id))).toEqual(newestFirst(old))
  expect(new Set(seen).size).toBe(seen.length)
})

test('without a limit a page has 50', async () => {
  const mailbox = newMailbox()
  await fill(mailbox, 51)
  const { data, has_more: hasMore } = await client.list({ mailbox })
  expect([data.length, hasMore]).toEqual([50, true])
})

test('a full last page says that nothing follows', async () => {
  const mailbox = newMailbox()
  await fill(mailbox, 14)
  const first = await client.list({ mailbox, limit: 7 })
  const second = await client.list({ mailbox, limit: 7, after_id: first.data.at(-1)!.id })
  expect([first.has_more, second.has_more]).toEqual([true, false])
  const beyond = await client.list({ mailbox, limit: 7, after_id: second.data.at(-1)!.id })
  expect(beyond).toMatchObject({ data: [], has_more: false })
})

test('deleting messages of earlier pages does not skip later ones', async () => {
  const mailbox = newMailbox()
  const old = await fill(mailbox, 60)
  const seen = await idsSeen({ mailbox, limit: 7 }, async (ids) => {
    for (const id of ids.slice(0, -1)) await client.deleteMessage(id)
  })
  expect(seen).toEqual(newestFirst(old))
})

describe('an unknown cursor is 400 with an explanation', () => {
  test('the cursor message was deleted', async () => {
    const mailbox = newMailbox()
    await fill(mailbox, 10)
    const { data } = await client.list({ mailbox, limit: 5 })
    const cursor = data.at(-1)!.id
    expect((await client.list({ mailbox, after_id: cursor })).data).toHaveLength(5)
    await client.deleteMessage(cursor)
    expect(await refusalOf(client.list({ mailbox, after_id: cursor }))).toEqual(CURSOR_GONE)
  })

  test('an unknown id and an id of another team have the same error', async () => {
    await server.command('teams', 'create', 'Neighbour', '--domain', 'neighbour.test')
    const theirs = await store(url, { domain: 'neighbour.test' })
    expect(await refusalOf(client.list({ after_id: '00000000-0000-4000-8000-000000000000' }))).toEqual(CURSOR_GONE)
    expect(await refusalOf(client.list({ after_id: theirs.id }))).toEqual(CURSOR_GONE)
  })

  test('for a key of one mailbox, a message of another mailbox has the same error', async () => {
    const mine = newMailbox()
    const [own] = await fill(mine, 2)
    const [foreign] = await fill(newMailbox(), 1)
    const { name } = (await server.me()).team
    const { key } = await server.command<{ key: string }>('keys', 'create', '--team', name, '--mailbox', mine)
    const bound = publishedClient({ baseUrl: url, apiKey: key })
    expect(await refusalOf(bound.list({ after_id: foreign!.id }))).toEqual(CURSOR_GONE)
    expect(await bound.list({ after_id: own!.id })).toMatchObject({ data: [], has_more: false })
  })
})
