import { describe, expect, test } from 'vitest'
import { startTestServer, TestClient } from './test-kit.ts'

async function startWithClient(options = {}) {
  const started = await startTestServer(options)
  return { ...started, client: await TestClient.connectWithHello(started.server.port) }
}

test('the greeting is sent at once, with the host name', async () => {
  const { connect } = await startTestServer({ hostname: 'mx.example\r\n250 evil' })
  expect((await connect()).greeting).toBe('220 mx.example250evil ESMTP Mailhatch\r\n')
})

test('EHLO announces the extensions of the server', async () => {
  const { connect } = await startTestServer({ sizeMaxBytes: 1_000 })
  const client = await connect()
  expect(await client.say('EHLO client.test')).toBe(
    [
      '250-mx.test',
      '250-PIPELINING',
      '250-SIZE 1000',
      '250-8BITMIME',
      '250-SMTPUTF8',
      '250-CHUNKING',
      '250-BINARYMIME',
      '250-AUTH PLAIN LOGIN',
      '250 ENHANCEDSTATUSCODES',
      '',
    ].join('\r\n'),
  )
  expect(await client.say('HELO client.test')).toBe('250 mx.test\r\n')
})

test('a mail arrives with its envelope', async () => {
  const { client, mails, refusals } = await startWithClient()
  expect(await client.say('MAIL FROM:<App@Example.com> SIZE=20 BODY=8BITMIME')).toBe('250 2.1.0 Sender OK\r\n')
  expect(await client.say('RCPT TO:<QA+Login@In.Test>')).toBe('250 2.1.5 Recipient OK\r\n')
  expect(await client.say('DATA')).toMatch(/^354 /)
  client.send('Subject: hi\r\n\r\ntext\r\n.\r\n')
  expect(await client.reply()).toBe('250 2.0.0 Stored\r\n')
  expect(mails).toHaveLength(1)
  expect(mails[0]).toMatchObject({
    mailFrom: 'App@Example.com',
    helo: 'client.test',
    remoteAddress: '127.0.0.1',
    tls: false,
    bytes: Buffer.from('Subject: hi\r\n\r\ntext\r\n'),
  })
  expect(mails[0]?.recipients).toEqual([
    { address: 'QA+Login@In.Test', domain: 'in.test', mailbox: 'qa', tag: 'login', mailboxWithTag: 'qa+login' },
  ])
  expect(refusals).toEqual([])
  expect(await client.say('QUIT')).toBe('221 2.0.0 Bye\r\n')
  expect(await client.reply()).toBe('')
})

describe('replies', () => {
  test.each<[string, string[], string]>([
    ['NOOP', ['NOOP'], '250 2.0.0'],
    ['NOOP with words', ['NOOP a b'], '250 2.0.0'],
    ['any case', ['nOoP'], '250 2.0.0'],
    ['RSET', ['RSET'], '250 2.0.0'],
    ['HELP', ['HELP'], '214 2.0.0'],
    ['VRFY', ['VRFY qa'], '252 2.1.5'],
    ['VRFY without a name', ['VRFY'], '501 5.5.4'],
    ['EXPN', ['EXPN list'], '502 5.5.1'],
    ['STARTTLS when there is none', ['STARTTLS'], '502 5.5.1'],
    ['an unknown command', ['FOO'], '500 5.5.1'],
    ['an empty line', [''], '500 5.5.1'],
    ['EHLO without a name', ['EHLO'], '501 5.5.4'],
    ['the null sender', ['MAIL FROM:<>'], '250 2.1.0'],
    ['SMTPUTF8', ['MAIL FROM:<ä@b.test> SMTPUTF8', 'RCPT TO:<ö@in.test>'], '250 2.1.5'],
    ['a parameter of MAIL that is unknown', ['MAIL FROM:<a@b.test> FOO=1'], '555 5.5.4'],
    ['a parameter of RCPT that is unknown', ['MAIL FROM:<>', 'RCPT TO:<qa@in.test> FOO=1'], '555 5.5.4'],
    ['MAIL with bad syntax', ['MAIL a@b.test'], '501 5.5.4'],
    ['MAIL inside a transaction', ['MAIL FROM:<>', 'MAIL FROM:<>'], '503 5.5.1'],
    ['MAIL after RSET', ['MAIL FROM:<>', 'RSET', 'MAIL FROM:<>'], '250 2.1.0'],
    ['MAIL after another EHLO', ['MAIL FROM:<>', 'EHLO again', 'MAIL FROM:<>'], '250 2.1.0'],
    ['RCPT before MAIL', ['RCPT TO:<qa@in.test>'], '503 5.5.1'],
    ['RCPT that is no address', ['MAIL FROM:<>', 'RCPT TO:<qa>'], '501 5.1.3'],
    ['RCPT Postmaster without a domain', ['MAIL FROM:<>', 'RCPT TO:<Postmaster>'], '501 5.1.3'],
    ['RCPT with the null path', ['MAIL FROM:<>', 'RCPT TO:<>'], '501 5.1.3'],
    ['RCPT with a tag but no mailbox', ['MAIL FROM:<>', 'RCPT TO:<+tag@in.test>'], '550 5.1.3'],
    ['RCPT with an empty tag', ['MAIL FROM:<>', 'RCPT TO:<qa+@in.test>'], '250 2.1.5'],
    ['DATA before MAIL', ['DATA'], '503 5.5.1'],
    ['DATA without recipients', ['MAIL FROM:<>', 'DATA'], '554 5.5.1'],
    ['DATA with words', ['MAIL FROM:<>', 'RCPT TO:<qa@in.test>', 'DATA now'], '501 5.5.4'],
  ])('%s', async (_name, lines, expected) => {
    const { client } = await startWithClient()
    let reply = ''
    for (const line of lines) reply = await client.say(line)
    expect(reply.slice(0, expected.length + 1)).toBe(`${expected} `)
    await client.say('RSET')
    expect(await client.deliver('still usable')).toMatch(/^250 /)
  })

  test('MAIL before EHLO is refused', async () => {
    const { connect } = await startTestServer()
    const client = await connect()
    expect(await client.say('MAIL FROM:<a@b.test>')).toMatch(/^503 5\.5\.1 /)
    await client.say('HELO client.test')
    expect(await client.deliver('after HELO')).toMatch(/^250 /)
  })

  test('a line that ends with a bare LF is refused', async () => {
    const { client } = await startWithClient()
    client.send('NOOP\n')
    expect(await client.reply()).toMatch(/^500 5\.5\.2 /)
    expect(await client.say('NOOP')).toMatch(/^250 /)
  })
})

test('the same recipient twice, in another case, is stored once', async () => {
  const { client, mails } = await startWithClient()
  await client.begin(['qa@in.test', 'other@in.test'])
  expect(await client.say('RCPT TO:<QA@IN.test>')).toMatch(/^250 2\.1\.5 /)
  expect(await client.say('RCPT TO:<qa+tag@in.test>')).toMatch(/^250 2\.1\.5 /)
  await client.say('DATA')
  client.send('text\r\n.\r\n')
  expect(await client.reply()).toMatch(/^250 /)
  expect(mails[0]?.recipients.map(({ address }) => address)).toEqual(['qa@in.test', 'other@in.test', 'qa+tag@in.test'])
})

test('only allowed domains are accepted, compared in lower case and A-labels', async () => {
  const { client, mails, refusals } = await startWithClient({ allowedDomains: ['In.Test', 'bücher.test'] })
  await client.say('MAIL FROM:<app@example.com>')
  expect(await client.say('RCPT TO:<qa@elsewhere.test>')).toMatch(/^550 5\.7\.1 /)
  expect(await client.say('RCPT TO:<qa@IN.TEST>')).toMatch(/^250 /)
  expect(await client.say('RCPT TO:<qa@xn--bcher-kva.test>')).toMatch(/^250 /)
  await client.say('DATA')
  client.send('text\r\n.\r\n')
  expect(await client.reply()).toMatch(/^250 /)
  expect(mails[0]?.recipients).toHaveLength(2)
  expect(refusals).toEqual([
    {
      at: expect.any(Number),
      remoteAddress: '127.0.0.1',
      from: 'app@example.com',
      to: 'qa@elsewhere.test',
      code: 550,
      reason: 'Mail for this domain is not accepted here',
      kind: 'domain_not_allowed',
    },
  ])
})

test('pipelined commands get their replies in order, in one write', async () => {
  const { client, mails } = await startWithClient()
  client.send(
    'MAIL FROM:<a@b.test>\r\nRCPT TO:<one@in.test>\r\nRCPT TO:<bad>\r\nDATA\r\nfirst\r\n.\r\n' +
      'MAIL FROM:<a@b.test>\r\nRCPT TO:<two@in.test>\r\nDATA\r\nsecond\r\n.\r\nNOOP\r\nQUIT\r\n',
  )
  const codes = (await client.replies(11)).map((reply) => reply.slice(0, 3))
  expect(codes).toEqual(['250', '250', '501', '354', '250', '250', '250', '354', '250', '250', '221'])
  expect(mails.map(({ bytes }) => bytes.toString())).toEqual(['first\r\n', 'second\r\n'])
})

describe('storage failures', () => {
  test.each<[string, object, string]>([
    ['any error', {}, '451 4.3.0'],
    ['ENOSPC', { code: 'ENOSPC' }, '452 4.3.1'],
    ['outOfSpace', { outOfSpace: true }, '452 4.3.1'],
  ])('%s is a temporary failure, and the session continues', async (_name, properties, expected) => {
    let isBroken = true
    const { client, refusals } = await startWithClient({
      receive: async () => {
        if (isBroken) throw Object.assign(new Error('broken'), properties)
      },
    })
    expect((await client.deliver('lost')).slice(0, 9)).toBe(expected)
    expect(refusals).toMatchObject([{ code: Number(expected.slice(0, 3)), from: 'app@example.com' }])
    isBroken = false
    expect(await client.deliver('kept')).toBe('250 2.0.0 Stored\r\n')
  })

  test('250 is sent only after receive has resolved', async () => {
    const stored = Promise.withResolvers<void>()
    let isStored = false
    const { client } = await startWithClient({
      receive: async () => {
        await stored.promise
        isStored = true
      },
    })
    const replying = client.deliver('text').then((reply) => ({ reply, isStored }))
    stored.resolve()
    expect(await replying).toEqual({ reply: '250 2.0.0 Stored\r\n', isStored: true })
  })
})

describe('half-open connections', () => {
  test('a client that has closed its side still receives the replies', async () => {
    const { client, mails } = await startWithClient()
    client.send('MAIL FROM:<>\r\nRCPT TO:<qa@in.test>\r\nDATA\r\ntext\r\n.\r\n')
    client.endInput()
    expect((await client.replies(5)).map((reply) => reply.slice(0, 3))).toEqual(['250', '250', '354', '250', ''])
    expect(mails).toHaveLength(1)
  })

  test('a mail without its end is not accepted', async () => {
    const { client, mails, server } = await startWithClient()
    await client.begin()
    await client.say('DATA')
    client.send('half a mail\r\n')
    client.endInput()
    expect(await client.reply()).toBe('')
    client.destroy()
    await expect.poll(() => server.connections).toBe(0)
    expect(mails).toEqual([])
  })
})
