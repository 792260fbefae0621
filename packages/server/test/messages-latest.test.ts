import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mailGrammar } from './hostile/mail-grammar.ts'
import { storeMany } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { scrape, valueOf } from './support/scrape.ts'
import { isAccepted, SmtpClient } from './support/smtp-client.ts'

const DETAIL_KEYS = [
  ['id', 'mailboxId', 'mailbox', 'mailboxWithTag', 'tag', 'from', 'to', 'subject', 'receivedAt'],
  ['fromName', 'cursor', 'attachmentCount', 'size'],
  ['headers', 'htmlContent', 'textContent', 'domain', 'tenantSubdomain'],
  ['codes', 'links', 'attachments', 'envelope', 'timings', 'parse'],
  ['toAll', 'cc', 'replyTo', 'date'],
]
  .flat()
  .sort()

/** Seed and number of the mails that are compared. */
const SEED = 20
const ODD_MAILS = 40

const server = await startFileServer({ METRICS: 'on' })
const { url, smtpPort, store, latest, list, me, read, newMailbox } = server
const { get } = server
const waitsHeld = async () => valueOf(await scrape(url), 'mailhatch_waits_held')

describe('GET /v1/messages/latest', () => {
  test('contract: the response is data and its own cursor; a detail has exactly the documented keys', async () => {
    const mailbox = newMailbox()
    const sent = await store({
      mailbox,
      tag: 'signup',
      subject: 'Confirm your address',
      headers: [{ name: 'X-Run', value: '7' }],
      rawContent: '<p>Your code is <b>482913</b></p><a href="https://shop.example/verify?t=1">Verify</a>',
      plainContent: 'Your code is 482913',
    })
    const answer = await latest({ mailbox })
    expect(Object.keys(answer).sort()).toEqual(['cursor', 'data'])
    expect(Object.keys(answer.data).sort()).toEqual(DETAIL_KEYS)
    expect(answer.cursor).toBe(answer.data.cursor)
    expect(answer.data).toMatchObject({
      id: sent.id,
      mailbox,
      mailboxWithTag: `${mailbox}+signup`,
      tag: 'signup',
      from: sent.from,
      to: sent.to,
      subject: sent.subject,
      receivedAt: sent.receivedAt,
      headers: sent.headers,
      htmlContent: sent.rawContent,
      textContent: sent.plainContent,
      domain: 'mailhatch.test',
      tenantSubdomain: null,
      attachments: [],
      attachmentCount: 0,
      envelope: null,
      parse: 'complete',
      timings: { receivedAt: sent.receivedAt },
      links: [{ url: 'https://shop.example/verify?t=1', text: 'Verify', kind: 'verify' }],
    })
    expect(answer.data.timings.storedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const [code] = answer.data.codes
    expect(Object.keys(code!).sort()).toEqual(['confidence', 'context', 'value'])
    expect(code!.value).toBe('482913')
  })

  test('contract: the newest message by receivedAt, then by arrival', async () => {
    const mailbox = newMailbox()
    const receivedAt = '2025-06-01T12:00:00.000Z'
    await store({ mailbox, subject: 'first', receivedAt })
    await store({ mailbox, subject: 'second', receivedAt })
    await store({ mailbox, subject: 'older', receivedAt: '2025-06-01T11:59:59.999Z' })
    expect((await latest({ mailbox })).data.subject).toBe('second')
  })

  test('error: no matching message is 404 `No messages found`, without the extras of a wait', async () => {
    const { status, body } = await get('/v1/messages/latest', { mailbox: newMailbox() })
    expect(status).toBe(404)
    expect(body).toEqual({ error: 'No messages found', code: 'message_not_found', requestId: expect.any(String) })
  })

  test.each(['limit=0', 'limit=201', 'limit=abc', 'limit=-5', 'limit=', 'limit=1&limit=2', 'limit=1'])(
    'limit: %s is ignored on latest',
    async (query) => {
      const mailbox = newMailbox()
      expect((await get('/v1/messages/latest', `mailbox=${mailbox}&${query}`)).status).toBe(404)
      const { id } = await store({ mailbox })
      expect((await latest(`mailbox=${mailbox}&${query}`)).data.id).toBe(id)
    },
  )

  test('contract: with `after`, mail before the cursor is never found, and mail between cursor and call is', async () => {
    const mailbox = newMailbox()
    await store({ mailbox, subject: 'before', receivedAt: '2099-01-01T00:00:00Z' })
    const { cursor } = await me()
    expect((await get('/v1/messages/latest', { mailbox, after: cursor })).status).toBe(404)
    await store({ mailbox, subject: 'after', receivedAt: '2025-01-01T00:00:00Z' })
    expect((await latest({ mailbox, after: cursor, wait: 30 })).data.subject).toBe('after')
  })
})

describe('contract: `wait` holds latest until a match is visible', () => {
  test('a message that is already there is returned at once', async () => {
    const mailbox = newMailbox()
    const { id } = await store({ mailbox })
    const from = performance.now()
    expect((await latest({ mailbox, wait: 60 })).data.id).toBe(id)
    expect(performance.now() - from).toBeLessThan(30_000)
  })

  test('a match that arrives ends the wait, and other messages do not', async () => {
    const mailbox = newMailbox()
    const waiting = latest({ mailbox, subject: 'code', wait: 30 })
    await store({ mailbox, subject: 'newsletter' })
    await store({ mailbox: newMailbox(), subject: 'your code' })
    const { id } = await store({ mailbox, subject: 'Your CODE' })
    expect((await waiting).data.id).toBe(id)
  })

  test('it returns what a read returns, whatever the mail', async () => {
    const mailbox = newMailbox()
    const grammar = mailGrammar(SEED)
    const mails = Array.from({ length: ODD_MAILS }, (_, number) => ({ ...grammar.mail(number), tag: `odd${number}` }))
    const waiting = mails.map(({ tag }) => latest({ mailbox, tag, wait: 60 }))
    await vi.waitFor(async () => expect(await waitsHeld()).toBe(ODD_MAILS))
    const client = await SmtpClient.connect(smtpPort)
    onTestFinished(() => client.close())
    for (const [index, { name, raw, tag }] of mails.entries()) {
      expect(isAccepted(await client.send({ to: `${mailbox}+${tag}@mailhatch.test`, raw })), name).toBe(true)
      const { data } = await waiting[index]!
      expect(data, name).toEqual(await read(data.id))
    }
  })

  test('mail before a later cursor does not end it', async () => {
    const mailbox = newMailbox()
    const { cursor } = await me()
    const later = `c${(Number.parseInt(cursor.slice(1), 36) + 3).toString(36)}`
    const waiting = latest({ mailbox, after: later, wait: 30 })
    await vi.waitFor(async () => expect(await waitsHeld()).toBe(1))
    for (const subject of ['first', 'second', 'third', 'fourth']) await store({ mailbox, subject })
    expect((await waiting).data.subject).toBe('fourth')
  })

  test('fifty waits for fifty tags each get their own message', async () => {
    const mailbox = newMailbox()
    const tags = Array.from({ length: 50 }, (_, number) => `t${number}`)
    const waiting = tags.map(async (tag) => (await latest({ mailbox, tag, wait: 30 })).data.tag)
    await Promise.all(tags.toReversed().map((tag) => store({ mailbox, tag })))
    expect(await Promise.all(waiting)).toEqual(tags)
  })

  test('after a timeout: 404 with a cursor, and what arrived with the parameters it did not match', async () => {
    const mailbox = newMailbox()
    await store({ mailbox, subject: 'before the cursor' })
    const { cursor } = await me()
    const wrongTag = await store({ mailbox, tag: 'signup', subject: 'Your code' })
    const wrongBoth = await store({ mailbox, tag: 'signup', subject: 'News' })
    const from = performance.now()
    const query = { mailbox, tag: 'login', subject: 'code', after: cursor, wait: 0.3 }
    const { status, body } = await get('/v1/messages/latest', query)
    expect(performance.now() - from).toBeGreaterThanOrEqual(290)
    expect(status).toBe(404)
    expect(body).toMatchObject({ error: 'No messages found', code: 'message_not_found' })
    expect(body.cursor).toBe((await me()).cursor)
    const failed = new Map(body.arrived!.map((each) => [each.id, each.failed.toSorted()]))
    expect(failed).toEqual(
      new Map([
        [wrongTag.id, ['tag']],
        [wrongBoth.id, ['subject', 'tag']],
      ]),
    )
    const { failed: _, ...summary } = body.arrived!.find(({ id }) => id === wrongTag.id)!
    expect((await list({ mailbox, after: cursor })).data).toContainEqual(summary)
  })

  test('waiting from the cursor of a 404 misses nothing', async () => {
    const mailbox = newMailbox()
    const { body } = await get('/v1/messages/latest', { mailbox, wait: 0.1 })
    const { id } = await store({ mailbox, receivedAt: '2025-01-01T00:00:00Z' })
    expect((await latest({ mailbox, after: body.cursor!, wait: 30 })).data.id).toBe(id)
  })
})

describe('contract: `explain=1` says at once what arrived instead', () => {
  const receivedAt = '2025-06-15T12:00:00.000Z'

  test.each<[string, string]>([
    ['mailbox', 'elsewhere'],
    ['tag', 'login'],
    ['tags', 'login,signin'],
    ['from', 'nobody'],
    ['to', 'nobody'],
    ['subject', 'nothing'],
    ['text', 'nothing'],
    ['q', 'nothing'],
    ['header', 'X-Run:8'],
    ['since', '2025-06-15T12:00:00.001Z'],
    ['start', '2025-06-16'],
    ['end', '2025-06-14'],
  ])('a message that only fails %s', async (name, value) => {
    const mailbox = newMailbox()
    const { cursor } = await me()
    const { id } = await store({ mailbox, receivedAt, headers: [{ name: 'X-Run', value: '7' }] })
    const { status, body } = await get('/v1/messages/latest', { mailbox, after: cursor, explain: 1, [name]: value })
    expect(status).toBe(404)
    expect(body.arrived).toMatchObject([{ id, failed: [name] }])
  })

  test('without a cursor it covers the last minute', async () => {
    const mailbox = newMailbox()
    const { id } = await store({ mailbox })
    const { body } = await get('/v1/messages/latest', { mailbox, tag: 'login', explain: 1 })
    expect(body.arrived).toContainEqual(expect.objectContaining({ id, failed: ['tag'] }))
    expect(body.cursor).toBe((await me()).cursor)
  })

  test('the closest messages come first, then the newest, however many arrived for others', async () => {
    const mailbox = newMailbox()
    const { cursor } = await me()
    const { id: near } = await store({ mailbox, mailboxWithTag: `${mailbox}+login`, tag: 'login', subject: 'Welcome' })
    await storeMany(url, 30, () => ({ mailbox }))
    const { id: newest } = await store({ mailbox })
    const query = { mailbox, tag: 'login', subject: 'nothing', after: cursor, explain: 1 }
    const { body } = await get('/v1/messages/latest', query)
    expect(body.arrived).toHaveLength(20)
    expect(body.arrived!.slice(0, 2)).toMatchObject([
      { id: near, failed: ['subject'] },
      { id: newest, failed: ['tag', 'subject'] },
    ])
  })

  test('limit: it lists up to 20 messages', async () => {
    const mailbox = newMailbox()
    const { cursor } = await me()
    const explain = async () => {
      const { body } = await get('/v1/messages/latest', { mailbox, tag: 'login', after: cursor, explain: 1 })
      return body.arrived!.length
    }
    await storeMany(url, 19, () => ({ mailbox }))
    expect(await explain()).toBe(19)
    await store({ mailbox })
    expect(await explain()).toBe(20)
    await store({ mailbox })
    expect(await explain()).toBe(20)
  })

  test('a match is returned without an explanation', async () => {
    const mailbox = newMailbox()
    await store({ mailbox })
    expect(Object.keys(await latest({ mailbox, explain: 1 })).sort()).toEqual(['cursor', 'data'])
  })
})

describe('GET /v1/messages/:id', () => {
  test('contract: the same detail as from latest', async () => {
    const { id, mailbox } = await store({ mailbox: newMailbox() })
    expect(await read(id)).toEqual((await latest({ mailbox })).data)
  })

  test('contract: the response is only data', async () => {
    const { id } = await store()
    expect(Object.keys((await get<object>(`/v1/messages/${id}`)).body)).toEqual(['data'])
  })

  test.each([
    randomUUID(),
    'nope',
    '0',
    '-1',
    '%20',
    '%00',
    "x'%20or%20'1'='1",
    '%E0%A4%A',
    '..%2F..%2Fetc',
    'é',
    'x'.repeat(2_000),
  ])('error: unknown id %s is 404 `Not found`', async (id) => {
    const { status, body } = await get(`/v1/messages/${id}`)
    expect(status).toBe(404)
    expect(body).toEqual({ error: 'Not found', code: 'message_not_found', requestId: expect.any(String) })
  })
})
