import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { storeMany } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'

const SUMMARY_KEYS = [
  'id',
  'mailboxId',
  'mailbox',
  'mailboxWithTag',
  'tag',
  'from',
  'to',
  'subject',
  'receivedAt',
  'fromName',
  'cursor',
  'attachmentCount',
  'size',
].sort()

const server = await startFileServer()
const { url, store, list, subjects, me, newMailbox } = server

/** The same day, `minute` minutes after noon. */
const at = (minute: number) => new Date(Date.UTC(2025, 5, 1, 12, minute)).toISOString()

test('contract: a list is data, has_more and cursor; a summary has exactly the documented keys', async () => {
  const mailbox = newMailbox()
  const receivedAt = '2025-06-01T12:00:00.120Z'
  const plain = await store({ mailbox, receivedAt, from: 'Ada@Shop.Example', subject: '' })
  const answer = await list({ mailbox })
  expect(Object.keys(answer).sort()).toEqual(['cursor', 'data', 'has_more'])
  const [summary] = answer.data
  expect(Object.keys(summary!).sort()).toEqual(SUMMARY_KEYS)
  expect(summary).toEqual({
    id: plain.id,
    mailboxId: expect.stringMatching(/./),
    mailbox,
    mailboxWithTag: mailbox,
    tag: null,
    from: 'Ada@Shop.Example',
    fromName: null,
    to: plain.to,
    subject: '',
    receivedAt,
    cursor: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
    attachmentCount: 0,
    size: null,
  })
})

test('contract: without messages, a list is empty and has a cursor', async () => {
  const { data, has_more, cursor } = await list({ mailbox: newMailbox() })
  expect({ data, has_more }).toEqual({ data: [], has_more: false })
  expect(cursor).toBe((await me()).cursor)
})

test('contract: newest receivedAt first, then the later arrival', async () => {
  const mailbox = newMailbox()
  const order: [subject: string, minute: number][] = [
    ['middle, first', 2],
    ['oldest', 1],
    ['newest', 3],
    ['middle, second', 2],
    ['older still, arrives last', 0],
  ]
  for (const [subject, minute] of order) await store({ mailbox, subject, receivedAt: at(minute) })
  const expected = ['newest', 'middle, second', 'middle, first', 'oldest', 'older still, arrives last']
  expect(await subjects({ mailbox })).toEqual(expected)
})

describe('limit: `limit` is 1 to 200, default 50', () => {
  const mailbox = newMailbox()
  beforeAll(() => Promise.all(Array.from({ length: 201 }, () => store({ mailbox }))))

  test.each<[string, number, boolean]>([
    ['', 50, true],
    ['&limit=', 50, true],
    ['&limit=1', 1, true],
    ['&limit=2', 2, true],
    ['&limit=199', 199, true],
    ['&limit=200', 200, true],
  ])('%j returns %i', async (query, count, hasMore) => {
    const { data, has_more } = await list(`mailbox=${mailbox}${query}`)
    expect(data).toHaveLength(count)
    expect(has_more).toBe(hasMore)
  })

  test.each(['0', '201', '-1', 'abc', '1.5', '1e2', '0x10', '٣', '5 0', '9'.repeat(30)])(
    '%s is 400 with details',
    async (limit) => {
      const { status, body } = await server.get('/v1/messages', { mailbox, limit })
      expect(status).toBe(400)
      expect(body.code).toBe('validation_failed')
      expect(body.details!.limit).toHaveLength(1)
    },
  )
})

describe('contract: `after_id` returns the page strictly after that message', () => {
  test('120 messages, paged while new ones arrive, are each returned once', async () => {
    const mailbox = newMailbox()
    // Groups of ten share their receivedAt, so that pages also end inside a group.
    const sent = await Promise.all(
      Array.from({ length: 120 }, (_, number) => store({ mailbox, receivedAt: at(Math.floor(number / 10)) })),
    )
    const seen: string[] = []
    let page = await list({ mailbox, limit: 7 })
    for (;;) {
      seen.push(...page.data.map(({ id }) => id))
      if (!page.has_more) break
      expect(page.data).toHaveLength(7)
      await store({ mailbox, receivedAt: at(60) })
      page = await list({ mailbox, limit: 7, after_id: page.data.at(-1)!.id })
    }
    expect(seen).toHaveLength(120)
    expect(seen.toSorted()).toEqual(sent.map(({ id }) => id).sort())
  })

  test('has_more is false when the page ends with the last message', async () => {
    const mailbox = newMailbox()
    const sent = await storeMany(url, 4, (number) => ({ mailbox, receivedAt: at(number) }))
    expect((await list({ mailbox, limit: 3 })).has_more).toBe(true)
    expect((await list({ mailbox, limit: 4 })).has_more).toBe(false)
    const rest = await list({ mailbox, limit: 3, after_id: sent[3]!.id })
    expect(rest.data.map(({ id }) => id)).toEqual([sent[2]!.id, sent[1]!.id, sent[0]!.id])
    expect(rest.has_more).toBe(false)
    expect((await list({ mailbox, after_id: sent[0]!.id })).data).toEqual([])
  })

  test.each([randomUUID(), 'nope', '0'])('error: an unknown after_id (%s) is 400', async (unknown) => {
    const { status, body } = await server.get('/v1/messages', { after_id: unknown })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: 'Cursor message not found. It may have been deleted.',
      code: 'cursor_not_found',
    })
  })
})

describe('contract: `after` returns the first matches in order of visibility', () => {
  test('newest first, with the cursor of the last message while more follow, and of the newest position at the end', async () => {
    const mailbox = newMailbox()
    const start = (await me()).cursor
    const sent = await storeMany(url, 7, (number) => ({ mailbox, subject: String(number), receivedAt: at(number) }))
    const cursorOf = async (index: number) => (await server.read(sent[index]!.id)).cursor

    const first = await list({ mailbox, limit: 3, after: start })
    expect(first.data.map(({ subject }) => subject)).toEqual(['3', '2', '1'])
    expect(first.has_more).toBe(true)
    expect(first.cursor).toBe(await cursorOf(2))

    const second = await list({ mailbox, limit: 3, after: first.cursor })
    expect(second.data.map(({ subject }) => subject)).toEqual(['6', '5', '4'])
    expect(second.has_more).toBe(true)

    await store({ mailbox: newMailbox() })
    const third = await list({ mailbox, limit: 3, after: second.cursor })
    expect(third.data.map(({ subject }) => subject)).toEqual(['7'])
    expect(third.has_more).toBe(false)
    expect(third.cursor).toBe((await me()).cursor)
    expect(third.cursor).not.toBe(await cursorOf(6))
  })

  test('a message that arrives late with an old receivedAt is on the page of its arrival', async () => {
    const mailbox = newMailbox()
    const start = (await me()).cursor
    await storeMany(url, 5, (number) => ({ mailbox, subject: String(number), receivedAt: at(30 - number) }))
    const pages: string[][] = []
    for (let after = start, more = true; more;) {
      const page = await list({ mailbox, limit: 2, after })
      pages.push(page.data.map(({ subject }) => subject).sort())
      ;({ cursor: after, has_more: more } = page)
    }
    expect(pages).toEqual([['1', '2'], ['3', '4'], ['5']])
  })

  test('a full page without more messages has no more', async () => {
    const mailbox = newMailbox()
    const start = (await me()).cursor
    await storeMany(url, 3, () => ({ mailbox }))
    expect((await list({ mailbox, limit: 3, after: start })).has_more).toBe(false)
    expect((await list({ mailbox, limit: 2, after: start })).has_more).toBe(true)
  })

  test('the cursors of a message and of a list both return only messages that became visible later', async () => {
    const mailbox = newMailbox()
    await store({ mailbox, subject: 'one' })
    const page = await list({ mailbox })
    expect(await subjects({ mailbox, after: page.cursor })).toEqual([])
    await store({ mailbox, subject: 'two', receivedAt: at(0) })
    expect(await subjects({ mailbox, after: page.cursor })).toEqual(['two'])
    expect(await subjects({ mailbox, after: page.data[0]!.cursor })).toEqual(['two'])
  })

  test('following by list during concurrent writes loses nothing and repeats nothing', async () => {
    const mailbox = newMailbox()
    let { cursor } = await me()
    const writers = Promise.all(
      Array.from({ length: 4 }, () => storeMany(url, 25, (number) => ({ mailbox, receivedAt: at(number) }))),
    )
    const seen: string[] = []
    while (seen.length < 100) {
      const page = await list({ mailbox, after: cursor, limit: 9, wait: 20 })
      expect(page.data.length, `${seen.length} seen so far`).toBeGreaterThan(0)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.cursor
    }
    const sent = (await writers).flat().map(({ id }) => id)
    expect(seen.toSorted()).toEqual(sent.sort())
  })

  test.each(['!', 'a b', 'a.b', 'é', 'x'.repeat(65)])('error: %j is not a cursor, 400 with details', async (after) => {
    const { status, body } = await server.get('/v1/messages', { after })
    expect(status).toBe(400)
    expect(body.code).toBe('validation_failed')
    expect(body.details).toHaveProperty('after')
  })
})

describe('contract: `wait` holds the list until a match is visible', () => {
  test('after a timeout, 200 with no data and a cursor to continue from', async () => {
    const mailbox = newMailbox()
    const { cursor } = await me()
    const from = performance.now()
    const answer = await list({ mailbox, after: cursor, wait: 0.3 })
    expect(performance.now() - from).toBeGreaterThanOrEqual(290)
    expect(answer).toEqual({ data: [], has_more: false, cursor: (await me()).cursor })
  })

  test('a message that is already there is returned at once', async () => {
    const mailbox = newMailbox()
    const { id } = await store({ mailbox })
    const from = performance.now()
    expect((await list({ mailbox, wait: 60 })).data.map((each) => each.id)).toEqual([id])
    expect(performance.now() - from).toBeLessThan(30_000)
  })

  test('a match that arrives ends the wait, and another message does not', async () => {
    const mailbox = newMailbox()
    const waiting = list({ mailbox, tag: 'yes', wait: 30 })
    await store({ mailbox, tag: 'no' })
    const { id } = await store({ mailbox, tag: 'yes' })
    expect((await waiting).data.map((each) => each.id)).toEqual([id])
  })

  test.each(['0', '0.5', '59.9', '60', ''])('limit: %j seconds are allowed', async (wait) => {
    const mailbox = newMailbox()
    await store({ mailbox })
    expect((await list({ mailbox, wait })).data).toHaveLength(1)
  })

  test.each(['60.1', '61', '-1', 'abc', 'Infinity', '1s'])('limit: %j is 400 with details', async (wait) => {
    const { status, body } = await server.get('/v1/messages', { wait })
    expect(status).toBe(400)
    expect(body.details).toHaveProperty('wait')
  })
})
