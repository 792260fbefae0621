import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import type { Action } from '../../domain/scenario.ts'
import { TestClient, startTestServer, type TestServerOptions } from './test-kit.ts'

const SCRIPTED = 'scripted'

/** A server in which mail for `scripted@in.test` gets these actions in turn, and all other mail is accepted. */
async function startScripted(actions: Action[], options: TestServerOptions = {}, isInForce = () => true) {
  const left = [...actions]
  const scripts = {
    planFor: ({ mailbox }: { mailbox: string }) =>
      mailbox === SCRIPTED
        ? Promise.resolve({ teamId: 'team', action: left.shift() ?? { do: 'accept' as const }, isInForce })
        : null,
  }
  const started = await startTestServer({ scripts, ...options })
  return { ...started, port: started.server.port, left }
}

const reject = (at: 'rcpt' | 'data' | 'after-data', reply: string): Action => ({
  do: 'reject',
  at,
  reply: `${reply}\r\n`,
})

async function begin(port: number, recipients = [SCRIPTED]): Promise<{ client: TestClient; replies: string[] }> {
  const client = await TestClient.connectWithHello(port)
  await client.say('MAIL FROM:<app@shop.test>')
  const replies: string[] = []
  for (const name of recipients) replies.push(await client.say(`RCPT TO:<${name}@in.test>`))
  return { client, replies }
}

test('a refused recipient leaves the others alone', async () => {
  const { port, mails, refusals } = await startScripted([reject('rcpt', '452 4.2.2 Mailbox full')])
  const { client, replies } = await begin(port, ['plain', SCRIPTED])
  expect(replies.map((reply) => reply.slice(0, 3))).toEqual(['250', '452'])
  expect(await client.say('DATA')).toMatch(/^354/)
  expect(await client.say('Subject: hello\r\n\r\ntext\r\n.')).toMatch(/^250/)
  expect(mails.map(({ recipients }) => recipients.map(({ mailbox }) => mailbox))).toEqual([['plain']])
  expect(refusals).toMatchObject([{ to: 'scripted@in.test', code: 452, reason: 'Mailbox full' }])
})

test('refusals of a script are no errors of the client', async () => {
  const { port, mails } = await startScripted(
    Array.from({ length: 40 }, () => reject('rcpt', '550 5.1.1 No such user')),
  )
  const { client } = await begin(port, [])
  for (let count = 0; count < 40; count++)
    expect(await client.say('RCPT TO:<scripted@in.test>')).toMatch(/^550 5\.1\.1/)
  expect(await client.say('RCPT TO:<plain@in.test>')).toMatch(/^250/)
  await client.say('DATA')
  expect(await client.say('text\r\n.')).toMatch(/^250/)
  expect(mails).toHaveLength(1)
})

test.each(['DATA\r\n', 'BDAT 4 LAST\r\ntext'])(
  '%j that was sent before the refusal is known is no error either',
  async (command) => {
    const { port, refusals } = await startScripted(
      Array.from({ length: 40 }, () => reject('rcpt', '550 5.1.1 No such user')),
    )
    const { client } = await begin(port, [])
    for (let count = 0; count < 40; count++) {
      client.send(`RCPT TO:<scripted@in.test>\r\n${command}`)
      expect(await client.reply()).toMatch(/^550 5\.1\.1/)
      expect(await client.reply()).toMatch(/^5/)
      await client.say('RSET')
      await client.say('MAIL FROM:<app@shop.test>')
    }
    expect(await client.say('RCPT TO:<plain@in.test>')).toMatch(/^250/)
    expect(refusals).toHaveLength(40)
  },
)

test('a refusal at DATA, and one after it, end the transaction and store nothing', async () => {
  const { port, mails } = await startScripted([
    reject('data', '451 4.3.0 Not now'),
    reject('after-data', '554 5.7.1 Spam'),
  ])
  const { client } = await begin(port)
  expect(await client.say('DATA')).toBe('451 4.3.0 Not now\r\n')
  expect(await client.say('MAIL FROM:<app@shop.test>')).toMatch(/^250/)
  await client.say('RCPT TO:<scripted@in.test>')
  expect(await client.say('DATA')).toMatch(/^354/)
  expect(await client.say('text\r\n.')).toBe('554 5.7.1 Spam\r\n')
  expect(await client.say('MAIL FROM:<app@shop.test>')).toMatch(/^250/)
  expect(mails).toEqual([])
})

const CUT_AT_DATA: Action = { do: 'cut', at: 'data', afterBytes: null, isStored: false }

test.each<[string, Action[], string]>([
  ['refusal before a cut', [reject('data', '451 4.3.0 Not now'), CUT_AT_DATA], '451 4.3.0 Not now\r\n'],
  ['cut before a refusal', [CUT_AT_DATA, reject('data', '451 4.3.0 Not now')], ''],
  [
    'refusal at a later stage before one at DATA',
    [reject('after-data', '554 5.0.0 Late'), reject('data', '451 4.3.0 Not now')],
    '451 4.3.0 Not now\r\n',
  ],
])('of two recipients with scripts, the one named first decides at a stage: %s', async (_, actions, reply) => {
  const left = [...actions]
  const scripts = {
    planFor: () => Promise.resolve({ teamId: 'team', action: left.shift()!, isInForce: () => true }),
  }
  const { server, mails } = await startTestServer({ scripts })
  const { client, replies } = await begin(server.port, ['one', 'two'])
  expect(replies.map((each) => each.slice(0, 3))).toEqual(['250', '250'])
  expect(await client.say('DATA')).toBe(reply)
  expect(mails).toEqual([])
  expect(left).toEqual([])
})

test('a cut at RCPT is the end of the connection, also for a recipient that was accepted before', async () => {
  const { port, mails } = await startScripted([{ do: 'cut', at: 'rcpt', afterBytes: null, isStored: false }])
  const { replies } = await begin(port, ['plain', SCRIPTED])
  expect(replies.map((reply) => reply.slice(0, 3))).toEqual(['250', ''])
  expect(mails).toEqual([])
})

test('a delay at RCPT delays the replies to recipients after it, too', async () => {
  const { port, left } = await startScripted([{ do: 'delay', at: 'rcpt', ms: 300 }])
  const { client } = await begin(port, [])
  const startedAt = performance.now()
  client.send('RCPT TO:<scripted@in.test>\r\nRCPT TO:<plain@in.test>\r\n')
  expect([await client.reply(), await client.reply()]).toEqual(Array(2).fill('250 2.1.5 Recipient OK\r\n'))
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300)
  expect(left).toEqual([])
})

test('a refusal at DATA is the reply to the first chunk of BDAT', async () => {
  const { port, mails } = await startScripted([reject('data', '451 4.3.0 Not now')])
  const { client } = await begin(port)
  client.send('BDAT 4 LAST\r\ntext')
  expect(await client.reply()).toBe('451 4.3.0 Not now\r\n')
  expect(mails).toEqual([])
  expect(await client.say('NOOP')).toMatch(/^250/)
})

test.each(['rcpt', 'data', 'after-data'] as const)(
  'the connection is closed after a refusal with 421 at %s',
  async (at) => {
    const { server, port, mails, attempts } = await startScripted([reject(at, '421 4.3.2 Closing')])
    const { client } = await begin(port, ['plain'])
    const replies: string[] = []
    for (const line of ['RCPT TO:<scripted@in.test>', 'DATA', 'text\r\n.']) {
      replies.push(await client.say(line))
      if (replies.at(-1)!.startsWith('421')) break
    }
    expect(replies.at(-1)).toBe('421 4.3.2 Closing\r\n')
    expect(replies).toHaveLength({ rcpt: 1, data: 2, 'after-data': 3 }[at])
    expect(await client.reply()).toBe('')
    client.endInput()
    await expect.poll(() => server.connections).toBe(0)
    expect(mails).toEqual([])
    expect(attempts.map(({ outcome, replies }) => [outcome, replies.at(-1)?.code])).toEqual([
      ['refused', 421],
      ['refused', 421],
    ])
  },
)

test('the connection is closed after a refusal with 421 of a chunk', async () => {
  const { port } = await startScripted([reject('data', '421 4.3.2 Closing')])
  const { client } = await begin(port)
  client.send('BDAT 4\r\ntext')
  expect([await client.reply(), await client.reply()]).toEqual(['421 4.3.2 Closing\r\n', ''])
})

test.each([
  ['rcpt', []],
  ['data', ['250 2.1.5 Recipient OK\r\n']],
  ['after-data', ['250 2.1.5 Recipient OK\r\n', '354 End the mail with <CR><LF>.<CR><LF>\r\n']],
] as const)('the connection is cut at %s without a reply', async (at, answered) => {
  const { port, mails } = await startScripted([{ do: 'cut', at, afterBytes: null, isStored: false }])
  const { client } = await begin(port, [])
  const replies: string[] = []
  for (const line of ['RCPT TO:<scripted@in.test>', 'DATA', 'text\r\n.'].slice(0, answered.length + 1)) {
    replies.push(await client.say(line))
  }
  expect(replies).toEqual([...answered, ''])
  expect(mails).toEqual([])
})

test('a mail whose connection is cut after it was sent can be stored nevertheless, once', async () => {
  const { server, port, mails } = await startScripted([
    { do: 'cut', at: 'after-data', afterBytes: null, isStored: true },
  ])
  const { client } = await begin(port)
  await client.say('DATA')
  // As Postfix does, which does not wait for the reply.
  client.send('text\r\n.\r\nQUIT\r\n')
  expect(await client.reply()).toBe('')
  await expect.poll(() => server.connections).toBe(0)
  expect(mails).toHaveLength(1)
})

test('commands that were sent before the cut get their replies, and those after it have no effect', async () => {
  const { server, port, mails } = await startScripted([{ do: 'cut', at: 'data', afterBytes: null, isStored: false }])
  const client = await TestClient.connectWithHello(port)
  const another = 'RSET\r\nMAIL FROM:<app@shop.test>\r\nRCPT TO:<plain@in.test>\r\nDATA\r\ntext\r\n.\r\n'
  client.send(`MAIL FROM:<app@shop.test>\r\nRCPT TO:<scripted@in.test>\r\nDATA\r\n${another}`)
  expect([await client.reply(), await client.reply(), await client.reply()]).toEqual([
    expect.stringMatching(/^250 2\.1\.0/),
    expect.stringMatching(/^250 2\.1\.5/),
    '',
  ])
  await expect.poll(() => server.connections).toBe(0)
  expect(mails).toEqual([])
})

test('the connection is cut after some bytes of the mail', async () => {
  const { port, mails } = await startScripted([{ do: 'cut', at: 'data', afterBytes: 1_000, isStored: false }])
  const { client } = await begin(port)
  await client.say('DATA')
  client.send('x'.repeat(100))
  client.send(`${'y'.repeat(70)}\r\n`.repeat(100))
  expect(await client.reply()).toBe('')
  expect(mails).toEqual([])
})

test.each(['rcpt', 'data', 'after-data'] as const)('the reply at %s comes late, and the mail arrives', async (at) => {
  const delayMs = 300
  const { server, mails } = await startScripted([{ do: 'delay', at, ms: delayMs }])
  const transport = createTransport({ host: '127.0.0.1', port: server.port })
  const startedAt = performance.now()
  await transport.sendMail({ from: 'app@shop.test', to: 'scripted@in.test', text: 'hello' })
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(delayMs)
  expect(mails).toHaveLength(1)
})

test('after DATA, the mail is stored before the delay', async () => {
  const { port, mails } = await startScripted([{ do: 'delay', at: 'after-data', ms: 60_000 }])
  const { client } = await begin(port)
  await client.say('DATA')
  client.send('text\r\n.\r\n')
  await expect.poll(() => mails.length).toBe(1)
  client.destroy()
})

test('a slow reader takes its time', async () => {
  const { server, mails } = await startScripted([{ do: 'slow', bytesPerSecond: 20_000 }])
  const transport = createTransport({ host: '127.0.0.1', port: server.port })
  const startedAt = performance.now()
  await transport.sendMail({ from: 'app@shop.test', to: 'scripted@in.test', text: 'x'.repeat(10_000) })
  expect(performance.now() - startedAt).toBeGreaterThan(400)
  expect(mails).toHaveLength(1)
})

test('a server that closes does not wait for delays', async () => {
  const { server, port } = await startScripted([{ do: 'delay', at: 'rcpt', ms: 60_000 }])
  const client = await TestClient.connectWithHello(port)
  await client.say('MAIL FROM:<app@shop.test>')
  client.send('RCPT TO:<scripted@in.test>\r\n')
  await expect.poll(() => server.connections).toBe(1)
  await server.close()
  expect(await client.reply()).toMatch(/^250|^421/)
})

test('with 50 delays of a team, the next mail is accepted at once', async () => {
  const delays = Array.from({ length: 51 }, (): Action => ({ do: 'delay', at: 'rcpt', ms: 60_000 }))
  const { port } = await startScripted(delays)
  const clients = await Promise.all(Array.from({ length: 51 }, () => TestClient.connectWithHello(port)))
  await Promise.all(clients.map((client) => client.say('MAIL FROM:<app@shop.test>')))
  // All but one wait for their delays, whichever comes last.
  const replies = clients.map((client) => client.say('RCPT TO:<scripted@in.test>'))
  expect(await Promise.race(replies)).toMatch(/^250/)
})

test('a client that gave up is no longer one of the 50', async () => {
  const delays = Array.from({ length: 51 }, (): Action => ({ do: 'delay', at: 'rcpt', ms: 60_000 }))
  const { server, port } = await startScripted(delays)
  const held = async () => {
    const client = await TestClient.connectWithHello(port)
    await client.say('MAIL FROM:<app@shop.test>')
    client.send('RCPT TO:<scripted@in.test>\r\n')
    return client
  }
  const gone = await Promise.all(Array.from({ length: 50 }, held))
  for (const [index, client] of gone.entries()) {
    if (index % 2 === 0) client.destroy()
    else client.endInput()
  }
  await expect.poll(() => server.connections).toBe(0)
  const held51 = (await held()).reply().then(() => 'delayed')
  const plain = begin(port, ['plain']).then(() => 'plain')
  expect(await Promise.race([held51, plain])).toBe('plain')
})

/** As slow as if it never ended. */
const STUCK: Action = { do: 'slow', bytesPerSecond: 1 }

async function sendSlowly(port: number, size = 10_000): Promise<TestClient> {
  const { client } = await begin(port)
  await client.say('DATA')
  client.send(`${'x'.repeat(70)}\r\n`.repeat(size / 72))
  return client
}

test('with 50 slow transfers of a team, the next mail is read at full speed, until one of them ends', async () => {
  const actions = [...Array.from({ length: 51 }, () => STUCK), STUCK, STUCK]
  const { server, port, mails } = await startScripted(actions)
  const clients = await Promise.all(Array.from({ length: 51 }, () => sendSlowly(port)))
  for (const client of clients) client.send('.\r\n')
  expect(await Promise.race(clients.map((client) => client.reply()))).toMatch(/^250/)
  expect(mails).toHaveLength(1)
  for (const client of clients) client.reset()
  await expect.poll(() => server.connections).toBe(0)
  const slow = (await sendSlowly(port)).reply().then(() => 'read')
  const plain = begin(port, ['plain']).then(() => 'plain')
  expect(await Promise.race([slow, plain])).toBe('plain')
})

test('delays and slow transfers share the 50 of a team', async () => {
  const delays = Array.from({ length: 50 }, (): Action => ({ do: 'delay', at: 'rcpt', ms: 60_000 }))
  const { port, left } = await startScripted([...delays, STUCK])
  for (const _ of delays) {
    const client = await TestClient.connectWithHello(port)
    await client.say('MAIL FROM:<app@shop.test>')
    client.send('RCPT TO:<scripted@in.test>\r\n')
  }
  await expect.poll(() => left.length).toBe(1)
  const client = await sendSlowly(port)
  client.send('.\r\n')
  expect(await client.reply()).toMatch(/^250/)
})

test('a slow transfer is read at full speed when its scenario has ended', async () => {
  let isInForce = true
  const { port, mails } = await startScripted([STUCK], {}, () => isInForce)
  const client = await sendSlowly(port, 1_000_000)
  client.send('.\r\n')
  isInForce = false
  expect(await client.reply()).toMatch(/^250/)
  expect(mails).toHaveLength(1)
})

test.each<[string, Action]>([
  ['a slow transfer', STUCK],
  ['a delay', { do: 'delay', at: 'rcpt', ms: 60_000 }],
])('a session that lasts too long ends during %s', async (_, action) => {
  const { server, port, mails, attempts } = await startScripted([action], { limits: { sessionMs: 500, tickMs: 50 } })
  const client = await TestClient.connectWithHello(port)
  client.send(`MAIL FROM:<app@shop.test>\r\nRCPT TO:<scripted@in.test>\r\nDATA\r\n${'text\r\n'.repeat(1_000)}`)
  const seen: string[] = []
  for (let reply = await client.reply(); reply !== ''; reply = await client.reply()) seen.push(reply)
  expect(seen.at(-1)).toBe('421 4.4.2 Session lasted too long, closing connection\r\n')
  client.endInput()
  await expect.poll(() => server.connections).toBe(0)
  expect(mails).toEqual([])
  expect(attempts).toMatchObject([{ outcome: 'timed-out' }])
})
