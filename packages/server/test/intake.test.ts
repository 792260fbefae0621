import { randomUUID } from 'node:crypto'
import type { Announcement } from '@mailhatch/sdk'
import { describe, expect, test } from 'vitest'
import { announcement, post } from './support/announce.ts'
import { reader } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { WEBHOOK_SECRET } from './support/server.ts'

const ROOT = 'in.mailhatch.test'

const server = await startFileServer()
const { url, store, read, newMailbox } = server
await server.command('teams', 'create', 'Rooted', '--plan', 'enterprise')
await server.command('mailboxes', 'create', 'shop', '--team', 'Rooted')
const { key: rootedKey } = await server.command<{ key: string }>('keys', 'create', '--team', 'Rooted')
const rooted = reader(url, rootedKey)

test('addressing rule 1: mail is stored under the mailbox with its tag, and mailboxWithTag keeps the full local part', async () => {
  const { id } = await store({ mailbox: 'orders', tag: 'login', mailboxWithTag: 'orders+login' })
  expect(await read(id)).toMatchObject({ mailbox: 'orders', tag: 'login', mailboxWithTag: 'orders+login' })
})

test('addressing rule 2: mailbox, tag and domain are trimmed and lower-cased', async () => {
  const { id } = await store({
    domain: ' MailHatch.Test ',
    mailbox: ' Orders ',
    tag: ' LogIn ',
    mailboxWithTag: ' Orders+LogIn ',
    to: 'Orders+LogIn@MailHatch.Test',
  })
  expect(await read(id)).toMatchObject({
    domain: 'mailhatch.test',
    mailbox: 'orders',
    tag: 'login',
    mailboxWithTag: 'orders+login',
    to: 'Orders+LogIn@MailHatch.Test',
  })
})

describe('addressing rule 3a: the domain is a team’s custom domain', () => {
  test('the first message creates the mailbox, and the next ones use it', async () => {
    const mailbox = newMailbox()
    const first = await store({ mailbox })
    const second = await store({ mailbox: mailbox.toUpperCase(), tag: 'again' })
    const other = await store({ mailbox: newMailbox() })
    const { mailboxId } = await read(first.id)
    expect((await read(second.id)).mailboxId).toBe(mailboxId)
    expect((await read(other.id)).mailboxId).not.toBe(mailboxId)
  })

  test('ten concurrent first messages create one mailbox', async () => {
    const mailbox = newMailbox()
    const sent = await Promise.all(Array.from({ length: 10 }, () => store({ mailbox })))
    const made = await Promise.all(sent.map(async ({ id }) => (await read(id)).mailboxId))
    expect(new Set(made).size).toBe(1)
  })

  test.each(['admin', 'postmaster', "o'brien", '_under', 'a=b/c', 'jürgen', 'x'.repeat(64)])(
    'any valid local part: %s',
    async (mailbox) => {
      const { id } = await store({ mailbox })
      expect(await read(id)).toMatchObject({ mailbox, mailboxWithTag: mailbox })
    },
  )
})

describe('addressing rule 3b: the domain is the root domain', () => {
  test('the mailbox is found by root domain and name', async () => {
    const { id } = await store({ domain: ROOT, mailbox: 'Shop', tag: 'a' })
    expect(await rooted.read(id)).toMatchObject({ domain: ROOT, mailbox: 'shop', tag: 'a', tenantSubdomain: null })
  })

  test('error: webhook for a root-domain mailbox that does not exist is 404 `Mailbox not configured`', async () => {
    const { status, body } = await post(url, announcement({ domain: ROOT, mailbox: 'nobody-here' }))
    expect(status).toBe(404)
    expect(body).toMatchObject({ error: 'Mailbox not configured', code: 'mailbox_unknown' })
  })

  test('refused mail is stored once the mailbox exists', async () => {
    const sent = announcement({ domain: ROOT, mailbox: 'later' })
    expect((await post(url, sent)).status).toBe(404)
    await server.command('mailboxes', 'create', 'later', '--team', 'Rooted')
    expect((await post(url, sent)).body.status).toBe('stored')
  })
})

describe('addressing rule 3c: the domain is neither the root nor a custom domain', () => {
  test.each(['elsewhere.example', `acme.${ROOT}`, `x${ROOT}`, 'sub.mailhatch.test', 'mailhatch.test.example'])(
    'error: webhook for %s is 404 `Inbox domain not configured`',
    async (domain) => {
      const { status, body } = await post(url, announcement({ domain, mailbox: 'shop' }))
      expect(status).toBe(404)
      expect(body).toMatchObject({ error: 'Inbox domain not configured', code: 'inbox_domain_unknown' })
    },
  )
})

describe('error: webhook bearer token absent or different is 401', () => {
  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['no token', { authorization: 'Bearer' }],
    ['another token', { authorization: 'Bearer something-else' }],
    ['the start of the secret', { authorization: `Bearer ${WEBHOOK_SECRET.slice(0, -1)}` }],
    ['more than the secret', { authorization: `Bearer ${WEBHOOK_SECRET}x` }],
    ['other case', { authorization: `Bearer ${WEBHOOK_SECRET.toUpperCase()}` }],
    ['another scheme', { authorization: `Basic ${WEBHOOK_SECRET}` }],
    ['an API key', { authorization: `Bearer ${server.apiKey}` }],
  ])('%s', async (_, headers) => {
    const sent = announcement()
    const { status, body } = await post(url, sent, headers)
    expect(status).toBe(401)
    expect(body).toMatchObject({ error: 'Unauthorized', code: 'unauthorized' })
    expect((await server.get(`/v1/messages/${sent.id}`)).status).toBe(404)
  })

  test('contract: the token is checked before the body', async () => {
    expect((await post(url, 'not json', {})).status).toBe(401)
    expect((await post(url, 'not json')).status).toBe(422)
  })
})

describe('contract: a body that is not JSON or does not match is 422 with details', () => {
  test.each(['event', 'id', 'domain', 'mailbox', 'mailboxWithTag', 'from', 'to', 'receivedAt', 'headers'] as const)(
    '%s is missing',
    async (field) => {
      const { status, body } = await post(url, { ...announcement(), [field]: undefined })
      expect(status).toBe(422)
      expect(body.code).toBe('validation_failed')
      expect(Object.keys(body.details!)).toEqual([field])
    },
  )

  test.each<[keyof Announcement, unknown]>([
    ['event', 'email.sent'],
    ['id', 'not-a-uuid'],
    ['id', 7],
    ['domain', ''],
    ['mailbox', ''],
    ['mailbox', '   '],
    ['mailbox', 'orders+login'],
    ['mailbox', null],
    ['tag', 5],
    ['from', null],
    ['headers', { Subject: 'Hello' }],
    ['headers', [{ name: 'Subject' }]],
    ['rawContent', 5],
  ])('%s is %j', async (field, value) => {
    const { status, body } = await post(url, { ...announcement(), [field]: value })
    expect(status).toBe(422)
    expect(body.code).toBe('validation_failed')
    expect(Object.keys(body.details!).join()).toMatch(new RegExp(`^${field}`))
  })

  test('the error describes the problem of each field', async () => {
    const { body } = await post(url, {
      ...announcement(),
      event: 'email.sent',
      to: undefined,
      headers: 'none',
      from: 5,
    })
    expect(body.details).toEqual({
      event: ['must be "email.received"'],
      to: ['is required'],
      headers: ['must be an array'],
      from: ['must be a string'],
    })
  })

  test.each(['', 'not json', '{"event":', 'null', '[]', '"email.received"'])('body %j', async (text) => {
    const { status, body } = await post(url, text)
    expect(status).toBe(422)
    expect(body.code).toBe('validation_failed')
  })
})

describe('error: webhook with invalid receivedAt is 422 `Invalid receivedAt`', () => {
  test.each([
    'yesterday',
    '2025-02-30T10:00:00Z',
    '2025-02-29T10:00:00Z',
    '2025-06-31T10:00:00Z',
    '2025-13-01T10:00:00Z',
    '2025-01-01T25:00:00Z',
    '2025-01-01T10:61:00Z',
    'Tue, 04 Nov 2025 10:00:00 GMT',
    '11/04/2025',
  ])('%s', async (receivedAt) => {
    const { status, body } = await post(url, announcement({ receivedAt }))
    expect(status).toBe(422)
    expect(body).toMatchObject({ error: 'Invalid receivedAt', code: 'received_at_invalid' })
  })

  test.each([
    ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00.000Z'],
    ['2025-01-01T00:30:00.25+02:00', '2024-12-31T22:30:00.250Z'],
    ['2025-06-30T10:00:00', '2025-06-30T10:00:00.000Z'],
    [' 2025-06-30T10:00:00.123Z ', '2025-06-30T10:00:00.123Z'],
  ])('control: %s is stored as %s', async (receivedAt, kept) => {
    const { id } = await store({ receivedAt })
    expect((await read(id)).receivedAt).toBe(kept)
  })

  test('contract: the date is checked before the domain', async () => {
    expect((await post(url, announcement({ receivedAt: 'soon', domain: 'elsewhere.example' }))).status).toBe(422)
  })
})

describe('contract: the same id is stored once', () => {
  test('the second response is `duplicate`, and the first message is not changed', async () => {
    const sent = await store({ subject: 'First' })
    const { status, body } = await post(url, { ...sent, subject: 'Second' })
    expect(status).toBe(200)
    expect(body).toEqual({ ok: true, status: 'duplicate', inboxMessageId: sent.id })
    expect((await read(sent.id)).subject).toBe('First')
  })

  test('of ten concurrent announcements one is stored, and nine are duplicates', async () => {
    const sent = announcement({ mailbox: newMailbox() })
    const before = await server.me()
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(url, sent)))
    expect(answers.map(({ body }) => body.status).sort()).toEqual([...Array(9).fill('duplicate'), 'stored'])
    expect((await server.list({ mailbox: sent.mailbox })).data).toHaveLength(1)
    expect((await server.me()).messageCount).toBe(before.messageCount + 1)
  })
})

describe('contract: which fields may be null, missing or empty', () => {
  test.each<[string, object, object]>([
    ['a null subject', { subject: null }, { subject: '' }],
    ['null bodies', { rawContent: null, plainContent: null }, { htmlContent: null, textContent: null }],
    ['empty bodies', { rawContent: '', plainContent: '' }, { htmlContent: null, textContent: null }],
    ['an empty sender', { from: '' }, { from: '' }],
    ['a missing tag', { mailboxWithTag: 'orders+a+b', tag: undefined }, { tag: 'a+b', mailboxWithTag: 'orders+a+b' }],
    ['a missing tag without plus', { mailboxWithTag: 'orders', tag: undefined }, { tag: null }],
    ['nothing after the plus', { mailboxWithTag: 'orders+', tag: undefined }, { tag: null, mailboxWithTag: 'orders+' }],
    ['an empty tag', { mailboxWithTag: 'orders', tag: '' }, { tag: null }],
    ['a blank tag', { mailboxWithTag: 'orders', tag: '  ' }, { tag: null }],
    ['a missing tenantSubdomain', { tenantSubdomain: undefined }, { tenantSubdomain: null }],
    ['a given tenantSubdomain', { tenantSubdomain: 'acme' }, { tenantSubdomain: 'acme' }],
  ])('%s', async (_, given, kept) => {
    const sent = { ...announcement({ mailbox: 'orders' }), ...given }
    expect((await post(url, sent)).body.status).toBe('stored')
    expect(await read(sent.id)).toMatchObject(kept)
  })

  test('a missing tenantSubdomain is derived from the domain under the root', async () => {
    const domain = `acme.${ROOT}`
    const team = await server.command('teams', 'create', 'Acme', '--domain', domain)
    const { key } = await server.command<{ key: string }>('keys', 'create', '--team', team.id)
    const sent = { ...announcement({ domain }), tenantSubdomain: undefined }
    expect((await post(url, sent)).body.status).toBe('stored')
    expect((await reader(url, key).read(sent.id)).tenantSubdomain).toBe('acme')
  })
})

test('contract: the mailbox is taken from the payload, never from `to`', async () => {
  const { id } = await store({ mailbox: 'orders', tag: 'x', to: ' Someone+Else@Other.Example ', from: ' A@B.Example ' })
  expect(await read(id)).toMatchObject({
    mailbox: 'orders',
    tag: 'x',
    domain: 'mailhatch.test',
    to: 'Someone+Else@Other.Example',
    from: 'A@B.Example',
  })
})

test('contract: headers keep order, case and duplicates', async () => {
  const headers = [
    { name: 'Received', value: 'by two' },
    { name: 'received', value: 'by one' },
    { name: 'X-Odd', value: '  spaced  ' },
    { name: 'Received', value: 'by two' },
  ]
  const { id } = await store({ headers })
  expect((await read(id)).headers).toEqual(headers)
})

test('contract: the extra keys of our worker are kept', async () => {
  const extra = {
    attachments: [
      { index: 0, filename: 'a.pdf', contentType: 'application/pdf', size: 9, contentId: 'c@d', inline: false },
    ],
    size: 4_321,
    envelope: {
      mailFrom: 'bounce@shop.example',
      rcptTo: 'orders@mailhatch.test',
      helo: 'mx.shop.example',
      remoteAddress: '127.0.0.1',
      tls: true,
      receivedVia: 'smtp',
    },
    parse: 'partial' as const,
  }
  const { id } = await store(extra)
  expect(await read(id)).toMatchObject({ ...extra, attachmentCount: 1 })
})

test('contract: id in the payload is the public message id', async () => {
  const id = randomUUID()
  await store({ id })
  expect((await read(id)).id).toBe(id)
})
