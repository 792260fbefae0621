import { X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { selfSignedCertificate } from './certificate.ts'
import { startTestServer, TestClient } from './test-kit.ts'

let tls: { key: string; cert: string }
beforeAll(async () => {
  tls = await selfSignedCertificate('mx.test')
})

async function startWithClient() {
  const started = await startTestServer({ tls })
  return { ...started, client: await TestClient.connectWithHello(started.server.port) }
}

test('the certificate created at the start is for the host name and this machine', () => {
  const certificate = new X509Certificate(tls.cert)
  expect(certificate.checkHost('mx.test')).toBe('mx.test')
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(certificate.checkHost('other.test')).toBeUndefined()
  expect(certificate.verify(certificate.publicKey)).toBe(true)
})

test('after STARTTLS mail is encrypted, and the session starts over', async () => {
  const { client, mails } = await startWithClient()
  expect(await client.say('EHLO client.test')).toContain('250-STARTTLS\r\n')
  await client.begin()
  expect(await client.say('STARTTLS')).toMatch(/^220 /)
  await client.startTls({ ca: tls.cert, rejectUnauthorized: true, servername: 'mx.test' })
  expect(await client.say('MAIL FROM:<>')).toMatch(/^503 5\.5\.1 /)
  expect(await client.say('EHLO inside.test')).not.toContain('STARTTLS')
  expect(await client.say('STARTTLS')).toMatch(/^503 5\.5\.1 /)
  expect(await client.say('DATA')).toMatch(/^503 5\.5\.1 /)
  expect(await client.deliver(`text\r\n${'..\r\n'.repeat(100_000)}`)).toBe('250 2.0.0 Stored\r\n')
  expect(mails).toMatchObject([{ tls: true, helo: 'inside.test' }])
  expect(mails[0]?.bytes.equals(Buffer.from(`text\r\n${'.\r\n'.repeat(100_000)}\r\n`))).toBe(true)
  expect(await client.say('QUIT')).toMatch(/^221 /)
  expect(await client.reply()).toBe('')
})

test('authentication before TLS does not count after it', async () => {
  const started = await startTestServer({ tls, credentials: { user: 'u', password: 'p' } })
  const client = await TestClient.connectWithHello(started.server.port)
  const plain = `AUTH PLAIN ${Buffer.from('\0u\0p').toString('base64')}`
  expect(await client.say(plain)).toMatch(/^235 /)
  await client.say('STARTTLS')
  await client.startTls()
  await client.say('EHLO client.test')
  expect(await client.say('MAIL FROM:<>')).toMatch(/^530 5\.7\.0 /)
  expect(await client.say(plain)).toMatch(/^235 /)
  expect(await client.say('MAIL FROM:<>')).toMatch(/^250 /)
})

describe('plain text after STARTTLS is never executed', () => {
  test('in the same packet: it is refused, and the connection is closed', async () => {
    const { client, mails } = await startWithClient()
    client.send('STARTTLS\r\nMAIL FROM:<>\r\nRCPT TO:<qa@in.test>\r\nDATA\r\ninjected\r\n.\r\n')
    expect(await client.reply()).toMatch(/^554 5\.5\.1 /)
    expect(await client.reply()).toBe('')
    expect(mails).toEqual([])
  })

  test('after the reply: the handshake fails, and the server continues', async () => {
    const { client, connect, mails, server } = await startWithClient()
    expect(await client.say('STARTTLS')).toMatch(/^220 /)
    client.send('MAIL FROM:<>\r\nRCPT TO:<qa@in.test>\r\nDATA\r\ninjected\r\n.\r\n')
    expect(await client.reply()).toBe('')
    client.destroy()
    await expect.poll(() => server.connections).toBe(0)
    expect((await connect()).greeting).toMatch(/^220 /)
    expect(mails).toEqual([])
  })
})

test('STARTTLS accepts no arguments', async () => {
  const { client } = await startWithClient()
  expect(await client.say('STARTTLS now')).toMatch(/^501 5\.5\.4 /)
  expect(await client.deliver('still usable')).toMatch(/^250 /)
})
