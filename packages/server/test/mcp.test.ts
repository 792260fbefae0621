import { createTransport } from 'nodemailer'
import { describe, expect, test } from 'vitest'
import { startFileServer } from './support/file-server.ts'
import {
  connectOverHttp,
  connectOverStdio,
  postMcp,
  type Connection,
  type Email,
  type Era,
  type Server,
} from './support/mcp-client.ts'
import { startServer } from './support/server.ts'

const server = await startFileServer()
const { name: teamName } = (await server.me()).team
const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })

const READING = [
  'create_address',
  'wait_for_email',
  'list_emails',
  'get_email',
  'get_email_part',
  'wait_until_settled',
  'list_attempts',
  'list_rejections',
]

const DOORS: { door: string; era: Era; connect: (server: Server, era: Era) => Promise<Connection> }[] = [
  { door: 'HTTP', era: 'current', connect: connectOverHttp },
  { door: 'HTTP', era: 'legacy', connect: connectOverHttp },
  { door: 'standard input and output', era: 'current', connect: connectOverStdio },
  { door: 'standard input and output', era: 'legacy', connect: connectOverStdio },
]

test('an address includes the SMTP port, also if any free port was requested', async () => {
  const { call } = await connectOverHttp(server, 'current')
  expect((await call('create_address')).data.smtp).toEqual({ host: 'localhost', port: server.smtpPort })
})

describe.each(DOORS)('over $door, for $era clients', ({ era, connect }) => {
  test('every tool is listed with its hints, and every tool can be called', async () => {
    const { client, call } = await connect(server, era)
    expect(client.getProtocolEra()).toBe(era === 'current' ? 'modern' : 'legacy')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([...READING, 'delete_email'])
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    expect(hints['create_address']).toMatchObject({
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    })
    expect(hints['wait_for_email']).toMatchObject({ readOnlyHint: true, idempotentHint: true, openWorldHint: true })
    for (const name of READING.slice(2)) expect(hints[name]).toMatchObject({ readOnlyHint: true })
    expect(hints['delete_email']).toMatchObject({ readOnlyHint: false, destructiveHint: true })

    const { data: made } = await call('create_address', { label: 'Sign up!' })
    expect(made.address).toMatch(/^[a-z0-9-]+\+sign-up-[a-z0-9]{8}@mailhatch\.test$/)
    const waiting = call('wait_for_email', { address: made.address, after: made.cursor, timeout_s: 20 })
    await transport.sendMail({
      from: '"Shop" <shop@shop.example>',
      to: made.address,
      subject: 'Verify your account',
      text: 'Your code is 482913.\nhttps://shop.example/verify?token=abc',
      attachments: [
        { filename: 'notes.txt', content: 'Dear tester' },
        { filename: 'logo.png', content: Buffer.from([1, 2, 3]), contentType: 'image/png' },
      ],
    })
    const { data: found, text } = await waiting
    expect(found).toMatchObject({ timed_out: false, others: [], next_cursor: expect.any(String) })
    expect(found.email).toMatchObject({
      code: '482913',
      attachment_count: 2,
      authentication_header: null,
      untrusted: {
        from: 'shop@shop.example',
        from_name: 'Shop',
        subject: 'Verify your account',
        links: [{ kind: 'verify', host: 'shop.example', url: 'https://shop.example/verify?token=abc' }],
      },
    })
    expect(text).toContain('code: 482913')

    const { id } = found.email
    const { data: listed } = await call('list_emails', { address: made.address })
    expect(listed).toMatchObject({ emails: [{ id, untrusted: { subject: 'Verify your account' } }], has_more: false })

    const { data: read } = await call('get_email', { id, include: ['text', 'headers'] })
    expect(read.untrusted.text).toContain('Your code is 482913.')
    expect(read.untrusted.headers).toContain('Subject: Verify your account')
    const { data: facts } = await call('get_email', { id })
    expect(facts.untrusted).not.toHaveProperty('text')
    expect(facts.untrusted).not.toHaveProperty('headers')

    const { data: part } = await call('get_email_part', { id, part: '0' })
    expect(part.untrusted).toMatchObject({ file_name: 'notes.txt', text: 'Dear tester' })
    const picture = await call('get_email_part', { id, part: '1' })
    expect(picture.content[1]).toMatchObject({
      type: 'resource_link',
      uri: expect.stringMatching(
        new RegExp(`^http://[a-z0-9.]+:${new URL(server.url).port}/v1/messages/${id}/attachments/1$`),
      ),
      mimeType: 'image/png',
    })
    expect((await call('get_email_part', { id, part: '7' })).isError).toBe(true)

    const settled = await call('wait_until_settled', { address: made.address, after: made.cursor, quiet_s: 0 })
    expect(settled.data).toMatchObject({ settled: true, count: 1, is_exact: true, emails: [{ id }], unknown: [] })
    expect(settled.data).toMatchObject({ on_its_way: { transactions: 0, waiting: 0, announcing: 0 }, set_aside: 0 })
    const { data: tried } = await call('list_attempts', { address: made.address })
    expect(tried).toMatchObject({
      attempts: [{ outcome: 'accepted', reply_codes: [250, 354, 250], email_id: id, untrusted: { to: made.address } }],
      has_more: false,
    })

    expect((await call('list_rejections')).data.rejections).toBeInstanceOf(Array)
    expect((await call('delete_email', { id })).data).toMatchObject({ deleted: true, id })
    const gone = await call('get_email', { id })
    expect(gone).toMatchObject({ isError: true, text: 'message_not_found: Not found' })
  })
})

describe('waiting', () => {
  test('without a match, it reports what arrived instead, and the next wait continues from there', async () => {
    const { call } = await connectOverHttp(server)
    const { address, cursor } = (await call('create_address')).data
    await transport.sendMail({ from: 'a@shop.example', to: address, subject: 'Newsletter', text: 'Hello' })
    await server.latest({ mailbox: address, wait: 10 })
    const { data } = await call('wait_for_email', { address, after: cursor, subject_contains: 'Verify', timeout_s: 0 })
    expect(data).toMatchObject({
      timed_out: true,
      others: [{ not_matching: ['subject'], untrusted: { subject: 'Newsletter' } }],
    })
    expect(data).not.toHaveProperty('email')
    const later = await call('wait_for_email', { address, after: data.next_cursor, timeout_s: 0 })
    expect(later.data).toMatchObject({ timed_out: true, others: [] })
    const control = await call('wait_for_email', { address, after: cursor, subject_contains: 'letter', timeout_s: 0 })
    expect(control.data).toMatchObject({ timed_out: false, email: { untrusted: { subject: 'Newsletter' } } })
  })

  test('for longer than a minute is refused at once', async () => {
    const { call } = await connectOverHttp(server)
    expect((await call('wait_for_email', { address: 'qa', timeout_s: 51 })).isError).toBe(true)
    expect((await call('wait_for_email', { address: 'nobody', timeout_s: 0 })).isError).toBe(false)
    const settling = { address: 'qa', quiet_s: 0 }
    expect((await call('wait_until_settled', { ...settling, timeout_s: 51 })).isError).toBe(true)
    expect((await call('wait_until_settled', { ...settling, quiet_s: 2, timeout_s: 1 })).isError).toBe(true)
    expect((await call('wait_until_settled', { ...settling, timeout_s: 0 })).isError).toBe(false)
  })
})

test('pages go back in time without a gap, and forward from a cursor', async () => {
  const mailbox = server.newMailbox()
  const before = (await server.me()).cursor
  for (const number of [1, 2, 3]) await server.store({ mailbox, subject: `Mail ${number}` })
  const { call } = await connectOverHttp(server)
  const subjects = ({ emails }: { emails: Email[] }) => emails.map(({ untrusted }) => untrusted.subject)
  const first = (await call('list_emails', { address: mailbox, limit: 2 })).data
  expect(subjects(first)).toEqual(['Mail 3', 'Mail 2'])
  const second = (await call('list_emails', { address: mailbox, limit: 2, cursor: first.next_cursor })).data
  expect(second).toMatchObject({ has_more: false, next_cursor: null })
  expect(subjects(second)).toEqual(['Mail 1'])
  const newer = (await call('list_emails', { address: mailbox, limit: 2, cursor: before })).data
  expect(subjects(newer)).toEqual(['Mail 2', 'Mail 1'])
  const newest = (await call('list_emails', { address: mailbox, cursor: newer.next_cursor })).data
  expect(subjects(newest)).toEqual(['Mail 3'])
})

test('a call counts as one request, whatever it reads; too many calls are asked to wait', async () => {
  const noon = Date.parse('2026-05-01T12:00:00Z')
  const limited = await startServer({ RATE_LIMIT: 'on', DEFAULT_PLAN: 'starter' }, () => noon)
  const call = () => postMcp(limited, { method: 'tools/call', params: { name: 'create_address', arguments: {} } })
  const first = await call()
  expect(await first.text()).toContain('@mailhatch.test')
  expect(first.headers.get('x-ratelimit-remaining')).toBe('59')
  const rest = await Promise.all(Array.from({ length: 59 }, call))
  expect(rest.every(({ status }) => status === 200)).toBe(true)
  const refused = await call()
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'rate_limited' } } })
})

test.each([
  { name: 'several messages at once', body: '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', status: 400 },
  { name: 'a body that is not JSON', body: '{', status: 400 },
  { name: 'a body that is too large', body: JSON.stringify({ pad: 'x'.repeat(256 * 1024) }), status: 413 },
  { name: 'control: one message', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', status: 200 },
])('the response to $name is $status', async ({ body, status }) => {
  expect((await postMcp(server, body)).status).toBe(status)
})

describe('keys', () => {
  const makeKey = (...words: string[]) =>
    server.command<{ key: string }>('keys', 'create', '--team', teamName, ...words)

  test('a key bound to a mailbox sees only its mailbox and cannot delete', async () => {
    const [mine, other] = [server.newMailbox(), server.newMailbox()]
    const { id: mineId } = await server.store({ mailbox: mine, subject: 'mine' })
    const { id: otherId } = await server.store({ mailbox: other, subject: 'other' })
    const { key: apiKey } = await makeKey('--mailbox', mine)
    for (const connect of [connectOverHttp, connectOverStdio]) {
      const { client, call } = await connect({ url: server.url, apiKey })
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(READING)
      expect((await call('create_address')).data.address).toMatch(new RegExp(`^${mine}\\+`))
      expect((await call('list_emails')).data.emails.map(({ id }) => id)).toEqual([mineId])
      expect((await call('get_email', { id: mineId })).isError).toBe(false)
      expect(await call('get_email', { id: otherId })).toMatchObject({
        isError: true,
        text: expect.stringContaining('not_found'),
      })
      expect((await call('get_email_part', { id: otherId, part: 'text' })).isError).toBe(true)
      const refused = await call('wait_for_email', { address: other, timeout_s: 0 })
      expect(refused).toMatchObject({ isError: true, text: 'forbidden: Forbidden' })
      expect((await call('list_rejections')).text).toBe('forbidden: Forbidden')
    }
    expect((await server.read(otherId)).subject).toBe('other')
  })

  test('a key that reads everything cannot delete either', async () => {
    const { key: apiKey } = await makeKey('--scope', 'email.full')
    const { client, call } = await connectOverHttp({ url: server.url, apiKey })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(READING)
    const { id } = await server.store()
    await expect(call('delete_email', { id })).rejects.toThrow('delete_email not found')
    expect((await server.read(id)).id).toBe(id)
  })

  const post = (headers: Record<string, string>) => postMcp(server, { method: 'tools/list' }, headers)

  test('without a key or with a wrong one, the response is 401 in the format of the protocol', async () => {
    for (const authorization of ['', 'Bearer mh_wrong']) {
      const response = await post({ authorization })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
      expect(response.headers.get('x-request-id')).toEqual(expect.any(String))
      expect(await response.json()).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { message: 'Unauthorized', data: { code: 'unauthorized' } },
      })
    }
    expect((await post({})).status).toBe(200)
  })

  test('a request from another site is refused, even with a key', async () => {
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await post({ origin: `http://localhost:${new URL(server.url).port}` })).status).toBe(200)
  })

  test('a wrong key ends `mailhatch mcp` at once', async () => {
    await expect(connectOverStdio({ url: server.url, apiKey: 'mh_wrong' })).rejects.toThrow('closed')
  })
})
