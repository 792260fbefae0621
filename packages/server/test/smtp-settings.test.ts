import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { TestClient } from '../src/worker/smtp/test-kit.ts'
import { startServer } from './support/server.ts'

test('SMTP_STARTTLS=self-signed: mail arrives encrypted, and the envelope says so', async () => {
  const { sdk, smtpPort } = await startServer({ SMTP_STARTTLS: 'self-signed' })
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
  })
  onTestFinished(() => transport.close())
  await transport.sendMail({ from: 'a@shop.example', to: 'qa+tls@mailhatch.test', subject: 'Sealed', text: 'Hello' })
  const mail = await sdk.messages.waitFor({ mailbox: 'qa+tls' })
  expect(mail.envelope).toMatchObject({ tls: true, mailFrom: 'a@shop.example', receivedVia: 'smtp' })
})

test('by default a mail library with its default options can send, without encryption', async () => {
  const { sdk, sendMail } = await startServer()
  await sendMail({ to: 'qa+plain@mailhatch.test', subject: 'Open', text: 'Hello' })
  const mail = await sdk.messages.waitFor({ mailbox: 'qa+plain' })
  expect(mail.envelope?.tls).toBe(false)
})

test('with SMTP_AUTH_USER and SMTP_AUTH_PASS only clients with these credentials may send', async () => {
  const { sdk, smtpPort } = await startServer({ SMTP_AUTH_USER: 'app', SMTP_AUTH_PASS: 'secret word' })
  const send = (auth?: { user: string; pass: string }) => {
    const transport = createTransport({ host: '127.0.0.1', port: smtpPort, ...(auth && { auth }) })
    onTestFinished(() => transport.close())
    return transport.sendMail({ from: 'a@shop.example', to: 'qa@mailhatch.test', subject: 'Signed in', text: 'Hello' })
  }
  await expect(send()).rejects.toMatchObject({ responseCode: 530 })
  await expect(send({ user: 'app', pass: 'wrong' })).rejects.toMatchObject({ responseCode: 535 })
  await send({ user: 'app', pass: 'secret word' })
  expect((await sdk.messages.waitFor({ mailbox: 'qa' })).subject).toBe('Signed in')
})

test('extensions of SMTP_HIDE_EXTENSIONS are not announced, and mail arrives without them', async () => {
  const { sdk, smtpPort, sendMail } = await startServer({ SMTP_HIDE_EXTENSIONS: 'size, CHUNKING' })
  const hello = await (await TestClient.connect(smtpPort)).say('EHLO client.test')
  expect(hello).toContain('8BITMIME')
  expect(hello).not.toMatch(/SIZE|CHUNKING|BINARYMIME/)
  await sendMail({ to: 'qa+simple@mailhatch.test', subject: 'Simple', text: 'Hello' })
  expect((await sdk.messages.waitFor({ mailbox: 'qa+simple' })).subject).toBe('Simple')
})
