import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { EXTENSIONS, type Extension } from './extensions.ts'
import { selfSignedCertificate } from './certificate.ts'
import { startTestServer, TestClient } from './test-kit.ts'

const tls = await selfSignedCertificate('mx.test')

async function startWithout(...hiddenExtensions: Extension[]) {
  const started = await startTestServer({ hiddenExtensions, tls })
  const client = await TestClient.connect(started.server.port)
  const hello = await client.say('EHLO client.test')
  const announced = hello.split('\r\n').flatMap((line) => /^250[ -]([A-Z0-9]+)( |$)/.exec(line)?.[1] ?? [])
  return { ...started, client, announced }
}

test('without the setting, everything is announced', async () => {
  expect((await startWithout()).announced).toEqual([...EXTENSIONS, 'ENHANCEDSTATUSCODES'])
})

// Each with what a server without the extension replies, and a control: what ours replies otherwise.
test.each<[Extension, string[], string, string]>([
  ['SIZE', ['MAIL FROM:<a@b.test> SIZE=20'], '555 5.5.4', '250'],
  ['8BITMIME', ['MAIL FROM:<a@b.test> BODY=8BITMIME'], '555 5.5.4', '250'],
  ['BINARYMIME', ['MAIL FROM:<a@b.test> BODY=BINARYMIME'], '555 5.5.4', '250'],
  ['CHUNKING', ['MAIL FROM:<a@b.test> BODY=BINARYMIME'], '555 5.5.4', '250'],
  ['CHUNKING', ['MAIL FROM:<>', 'RCPT TO:<qa@in.test>', 'BDAT 0 LAST'], '502 5.5.1', '250'],
  ['SMTPUTF8', ['MAIL FROM:<a@b.test> SMTPUTF8'], '555 5.5.4', '250'],
  ['SMTPUTF8', ['MAIL FROM:<ä@b.test>'], '553 5.6.7', '250'],
  ['SMTPUTF8', ['MAIL FROM:<>', 'RCPT TO:<ö@in.test>'], '553 5.6.7', '250'],
  ['STARTTLS', ['STARTTLS'], '502 5.5.1', '220'],
  ['AUTH', ['AUTH PLAIN AGEAYg=='], '502 5.5.1', '235'],
  ['AUTH', ['MAIL FROM:<a@b.test> AUTH=<>'], '555 5.5.4', '250'],
])('without %s, %j is refused', async (name, lines, refusal, otherwise) => {
  const last = async (client: TestClient) => {
    let reply = ''
    for (const line of lines) reply = await client.say(line)
    return reply
  }
  const { client, announced } = await startWithout(name)
  expect(announced).not.toContain(name)
  expect(await last(client)).toMatch(new RegExp(`^${refusal} `))
  await client.say('RSET')
  expect(await client.deliver('still usable')).toMatch(/^250 /)
  expect(await last((await startWithout()).client)).toMatch(new RegExp(`^${otherwise} `))
})

test('without CHUNKING, there is no BINARYMIME either', async () => {
  expect((await startWithout('CHUNKING')).announced).not.toContain('BINARYMIME')
  expect((await startWithout('BINARYMIME')).announced).toContain('CHUNKING')
})

test('without SIZE, a mail over the limit is refused when it has been sent', async () => {
  const { connect } = await startTestServer({ hiddenExtensions: ['SIZE'], sizeMaxBytes: 1_000 })
  const client = await connect()
  expect(await client.say('EHLO client.test')).not.toContain('SIZE')
  expect(await client.deliver('a'.repeat(900).concat('\r\n', 'b'.repeat(900)))).toMatch(/^552 /)
})

test('HELP lists the commands that exist', async () => {
  const { client } = await startWithout('CHUNKING', 'STARTTLS', 'AUTH')
  expect(await client.say('HELP')).toBe(
    '214 2.0.0 EHLO HELO MAIL RCPT DATA RSET NOOP VRFY QUIT; mail is captured, never relayed\r\n',
  )
})

test('nodemailer sends to a server without extensions', async () => {
  const { server, mails } = await startWithout(...EXTENSIONS)
  const transport = createTransport({ host: '127.0.0.1', port: server.port })
  await transport.sendMail({ from: 'app@shop.test', to: 'qa@in.test', subject: 'Größe', text: 'Größe' })
  expect(mails).toHaveLength(1)
  expect(mails[0]!.tls).toBe(false)
})
