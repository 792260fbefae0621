import { createTransport } from 'nodemailer'
import { expect, test, vi } from 'vitest'
import type { Action } from '../../domain/scenario.ts'
import { selfSignedCertificate } from './certificate.ts'
import { startTestServer, TestClient, type TestServerOptions } from './test-kit.ts'

const RCPT_OK = { stage: 'rcpt', code: 250, text: '2.1.5 Recipient OK' }
const SEND_DATA = { stage: 'data', code: 354, text: 'End the mail with <CR><LF>.<CR><LF>' }
const STORED = { stage: 'after-data', code: 250, text: '2.0.0 Stored' }

/** Mail for `scripted@in.test` gets these actions in turn. */
async function start(actions: Action[] = [], options: TestServerOptions = {}) {
  const left = [...actions]
  const scripts = {
    planFor: ({ mailbox }: { mailbox: string }) =>
      mailbox === 'scripted'
        ? Promise.resolve({ teamId: 'team', action: left.shift() ?? { do: 'accept' as const }, isInForce: () => true })
        : null,
  }
  const started = await startTestServer({ scripts, ...options })
  const { port } = started.server
  const begin = async (...recipients: string[]) => {
    const client = await TestClient.connectWithHello(port)
    await client.begin(recipients.map((name) => `${name}@in.test`))
    return client
  }
  return { ...started, port, begin }
}

const cut = (at: 'rcpt' | 'data' | 'after-data', values: object = {}): Action => ({
  do: 'cut',
  at,
  afterBytes: null,
  isStored: false,
  ...values,
})

test('a mail that is accepted', async () => {
  const { begin, attempts } = await start()
  const before = Date.now()
  const client = await begin('qa+1', 'other')
  await client.say('DATA')
  await client.say('Subject: hello\r\n\r\ntext\r\n.')
  expect(attempts).toMatchObject([
    {
      to: 'qa+1@in.test',
      from: 'app@example.com',
      outcome: 'accepted',
      stage: 'after-data',
      replies: [RCPT_OK, SEND_DATA, STORED],
      size: 24,
      tls: null,
      authenticated: false,
      helo: 'client.test',
      remoteAddress: '127.0.0.1',
      messageId: 'id of qa',
    },
    { to: 'other@in.test', outcome: 'accepted', messageId: 'id of other' },
  ])
  const [first, second] = attempts
  expect(first!.connection).toBe(second!.connection)
  expect(first!.startedAt).toBeGreaterThanOrEqual(before)
  expect(first!.endedAt).toBeGreaterThanOrEqual(first!.startedAt)
  await client.say('QUIT')
  expect(attempts).toHaveLength(2)
})

test('one of two recipients is refused by a script, and each has its own attempt', async () => {
  const { begin, attempts } = await start([{ do: 'reject', at: 'rcpt', reply: '451 4.3.0 Not now\r\n' }])
  const client = await begin('plain', 'scripted')
  expect(attempts).toMatchObject([
    {
      to: 'scripted@in.test',
      outcome: 'refused',
      stage: 'rcpt',
      replies: [{ stage: 'rcpt', code: 451, text: '4.3.0 Not now' }],
      messageId: null,
    },
  ])
  await client.say('DATA')
  await client.say('text\r\n.')
  expect(attempts.slice(1)).toMatchObject([{ to: 'plain@in.test', outcome: 'accepted', messageId: 'id of plain' }])
})

test.each([
  ['data', [RCPT_OK, { stage: 'data', code: 451, text: '4.3.0 Not now' }], 0],
  ['after-data', [RCPT_OK, SEND_DATA, { stage: 'after-data', code: 451, text: '4.3.0 Not now' }], 6],
] as const)('a mail that a script refuses at %s', async (at, replies, size) => {
  const { begin, attempts } = await start([{ do: 'reject', at, reply: '451 4.3.0 Not now\r\n' }])
  const client = await begin('scripted')
  await client.say('DATA')
  if (at === 'after-data') await client.say('text\r\n.')
  expect(attempts).toMatchObject([{ outcome: 'refused', stage: at, replies, size, messageId: null }])
})

test('a mail that is too big, a domain that is not allowed, and a mail that cannot be stored', async () => {
  const { begin, attempts } = await start([], {
    sizeMaxBytes: 10,
    allowedDomains: ['in.test'],
    receive: () => Promise.reject(new Error('the disk is gone')),
  })
  const client = await begin('qa')
  await client.say('RCPT TO:<qa@elsewhere.test>')
  await client.say('DATA')
  await client.say('twelve bytes\r\n.')
  await client.begin()
  await client.say('DATA')
  await client.say('text\r\n.')
  expect(attempts).toMatchObject([
    { to: 'qa@elsewhere.test', outcome: 'refused', stage: 'rcpt', replies: [{ code: 550 }] },
    {
      to: 'qa@in.test',
      outcome: 'refused',
      stage: 'after-data',
      replies: [RCPT_OK, SEND_DATA, { code: 552 }],
      size: 14,
    },
    { to: 'qa@in.test', outcome: 'refused', stage: 'after-data', replies: [RCPT_OK, SEND_DATA, { code: 451 }] },
  ])
})

test.each([
  [cut('rcpt'), 'rcpt', [], null],
  [cut('data'), 'data', [RCPT_OK], null],
  [cut('data', { afterBytes: 3 }), 'data', [RCPT_OK, SEND_DATA], null],
  [cut('after-data'), 'after-data', [RCPT_OK, SEND_DATA], null],
  [cut('after-data', { isStored: true }), 'after-data', [RCPT_OK, SEND_DATA], 'id of scripted'],
] as const)('%j', async (action, stage, replies, messageId) => {
  const { port, attempts } = await start([action])
  const client = await TestClient.connectWithHello(port)
  const lines = ['MAIL FROM:<app@shop.test>', 'RCPT TO:<scripted@in.test>', 'DATA', 'text\r\n.']
  for (const line of lines) if ((await client.say(line)) === '') break
  expect(attempts).toMatchObject([{ outcome: 'cut', stage, replies, messageId }])
})

test('a client that closes the connection: before a late reply, during the mail, and before the reply to it', async () => {
  const { port, begin, attempts, mails } = await start([
    { do: 'delay', at: 'rcpt', ms: 60_000 },
    { do: 'accept' },
    { do: 'delay', at: 'after-data', ms: 60_000 },
  ])
  const impatient = await TestClient.connectWithHello(port)
  await impatient.say('MAIL FROM:<app@shop.test>')
  // Clients send both commands at once.
  impatient.send('RCPT TO:<scripted@in.test>\r\nDATA\r\n')
  impatient.destroy()
  await expect.poll(() => attempts).toMatchObject([{ outcome: 'closed', stage: 'rcpt', replies: [] }])

  const half = await begin('scripted')
  await half.say('DATA')
  half.send('half of the')
  half.destroy()
  await expect.poll(() => attempts.length).toBe(2)
  expect(attempts[1]).toMatchObject({
    outcome: 'closed',
    stage: 'data',
    replies: [RCPT_OK, SEND_DATA],
    messageId: null,
  })

  const late = await begin('scripted')
  await late.say('DATA')
  late.send('text\r\n.\r\n')
  await expect.poll(() => mails.length).toBe(1)
  late.destroy()
  await expect.poll(() => attempts.length).toBe(3)
  // It is stored, so a client that tries again sends it twice.
  expect(attempts[2]).toMatchObject({ outcome: 'closed', stage: 'after-data', messageId: 'id of scripted', size: 6 })
})

test('a client that is gone while its mail is being stored', async () => {
  const stored = Promise.withResolvers<string[]>()
  const started = Promise.withResolvers<void>()
  const receive = () => {
    started.resolve()
    return stored.promise
  }
  const { port, begin, attempts } = await start([], { receive })
  const client = await begin('qa')
  await client.say('DATA')
  client.send('text\r\n.\r\n')
  await started.promise
  client.destroy()
  // By then, the server has read that the client is gone.
  await TestClient.connectWithHello(port)
  expect(attempts).toEqual([])
  stored.resolve(['the id'])
  await expect.poll(() => attempts).toMatchObject([{ outcome: 'closed', stage: 'after-data', messageId: 'the id' }])
})

test.each(['RSET', 'QUIT', 'EHLO again.test'])('a client that gives up with %s', async (command) => {
  const { begin, attempts } = await start()
  const client = await begin('qa')
  await client.say(command)
  expect(attempts).toMatchObject([{ outcome: 'abandoned', stage: 'rcpt', replies: [RCPT_OK] }])
})

test('a client that is too slow, and a server that stops', async () => {
  const { begin, server, attempts } = await start([], { limits: { dataIdleMs: 30, tickMs: 10, closeMs: 10 } })
  const slow = await begin('qa')
  await slow.say('DATA')
  expect(await slow.reply()).toMatch(/^421/)
  const idle = await begin('other')
  await server.close()
  expect(await idle.reply()).toMatch(/^421/)
  expect(attempts).toMatchObject([
    { outcome: 'timed-out', stage: 'data', replies: [RCPT_OK, SEND_DATA, { stage: 'data', code: 421 }] },
    { outcome: 'shut-down', stage: 'rcpt', replies: [RCPT_OK, { stage: 'rcpt', code: 421 }] },
  ])
})

test('chunks have no reply to DATA', async () => {
  const { begin, attempts } = await start()
  const client = await begin('qa')
  await client.chunk('te', false)
  await client.chunk('xt', true)
  expect(attempts).toMatchObject([{ outcome: 'accepted', replies: [RCPT_OK, STORED], size: 4 }])
})

test('TLS and AUTH', async () => {
  const { server, attempts } = await start([], { tls: await selfSignedCertificate('mx.test') })
  const transport = createTransport({
    host: '127.0.0.1',
    port: server.port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'app', pass: 'a secret password' },
  })
  await transport.sendMail({ from: 'app@shop.test', to: 'qa@in.test', text: 'hello' })
  expect(attempts).toMatchObject([{ tls: 'TLSv1.3', authenticated: true, outcome: 'accepted' }])
  expect(JSON.stringify(attempts)).not.toContain('secret')
})

test.each([
  ['BDAT', 'BDAT 6 LAST\r\nhello\n'],
  ['an empty mail after DATA', 'DATA\r\n.\r\n'],
])('a mail that is complete when its sender gives up during a delay was stored: %s', async (_, bytes) => {
  const { begin, attempts, mails } = await start([{ do: 'delay', at: 'data', ms: 60_000 }])
  const client = await begin('scripted')
  client.send(bytes)
  client.endInput()
  await vi.waitFor(() => expect(attempts).toHaveLength(1))
  expect(mails).toHaveLength(1)
  expect(attempts[0]).toMatchObject({ stage: 'after-data', messageId: 'id of scripted' })
})

test('a recipient that follows one whose reply is delayed has its attempt, too, if the sender gives up', async () => {
  const { begin, attempts } = await start([{ do: 'delay', at: 'rcpt', ms: 60_000 }])
  const client = await begin()
  client.send('RCPT TO:<scripted@in.test>\r\nRCPT TO:<next@in.test>\r\n')
  client.endInput()
  await vi.waitFor(() => expect(attempts).toHaveLength(2))
  expect(attempts.map(({ to, outcome }) => [to, outcome])).toEqual([
    ['scripted@in.test', 'closed'],
    ['next@in.test', 'closed'],
  ])
})
