import { createTransport } from 'nodemailer'
import { describe, expect, test } from 'vitest'
import { selfSignedCertificate } from './certificate.ts'
import { startTestServer } from './test-kit.ts'

const mail = {
  from: 'App <app@example.com>',
  to: 'qa+login@in.test',
  subject: 'Your code is 123456 ✓',
  text: 'Hello\n.\n..dots\nEnd',
  attachments: [{ filename: 'a.bin', content: Buffer.alloc(5_000, 7) }],
}

describe('nodemailer', () => {
  test('plain', async () => {
    const { server, mails } = await startTestServer()
    const transport = createTransport({ host: '127.0.0.1', port: server.port })
    const sent = await transport.sendMail(mail)
    expect(sent.response).toBe('250 2.0.0 Stored')
    expect(mails).toMatchObject([{ mailFrom: 'app@example.com', tls: false }])
    expect(mails[0]?.bytes.toString()).toContain('\r\n.\r\n..dots\r\n')
  })

  test('with STARTTLS and AUTH', async () => {
    const { server, mails } = await startTestServer({
      tls: await selfSignedCertificate('mx.test'),
      credentials: { user: 'tester', password: 'secret' },
    })
    const options = { host: '127.0.0.1', port: server.port, requireTLS: true, tls: { rejectUnauthorized: false } }
    const right = createTransport({ ...options, auth: { user: 'tester', pass: 'secret' } })
    await right.sendMail(mail)
    expect(mails).toMatchObject([{ tls: true }])
    const wrong = createTransport({ ...options, auth: { user: 'tester', pass: 'wrong' } })
    await expect(wrong.sendMail(mail)).rejects.toMatchObject({ responseCode: 535 })
    expect(mails).toHaveLength(1)
  })

  test('pooled: many messages over few connections', async () => {
    const { server, mails } = await startTestServer()
    const transport = createTransport({ host: '127.0.0.1', port: server.port, pool: true, maxConnections: 3 })
    const sending = Array.from({ length: 60 }, (_, index) => transport.sendMail({ ...mail, to: `qa${index}@in.test` }))
    await Promise.all(sending)
    expect(server.connections).toBeLessThanOrEqual(3)
    transport.close()
    const addresses = mails.flatMap(({ recipients }) => recipients.map(({ address }) => address))
    expect(new Set(addresses).size).toBe(60)
  })

  test('an international address', async () => {
    const { server, mails } = await startTestServer()
    const transport = createTransport({ host: '127.0.0.1', port: server.port })
    await transport.sendMail({ ...mail, to: 'prüfung@bücher.test' })
    expect(mails[0]?.recipients).toMatchObject([{ mailbox: 'prüfung', domain: 'xn--bcher-kva.test' }])
  })
})
