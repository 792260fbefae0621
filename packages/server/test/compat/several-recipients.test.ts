import { expect, test } from 'vitest'
import type { PeerName } from '../../src/compat/peers.ts'
import { startServer } from '../support/server.ts'

type Address = { Address: string }

async function sendToTwo(peer: PeerName, list: string) {
  const { compatUrl, sendMail } = await startServer({ COMPAT: peer, COMPAT_PORT: '0' })
  const get = async <Body>(path: string) => (await (await fetch(`${compatUrl}${path}`)).json()) as Body
  const envelope = { from: 'app@shop.example', to: ['anna@shop.example', 'ben@shop.example'] }
  await sendMail({
    envelope,
    raw: 'From: app@shop.example\r\nTo: anna@shop.example\r\nBcc: boss@shop.example\r\nSubject: Both\r\n\r\nHello\r\n',
  })
  await expect.poll(() => get<object>(list).then((found) => JSON.stringify(found))).toMatch(/Both.*Both/s)
  return { get }
}

test('Mailpit: a mail with several recipients is one of the messages for each', async () => {
  const { get } = await sendToTwo('mailpit', '/api/v1/messages')
  const { messages } = await get<{ messages: { To: Address[]; Bcc: Address[] }[] }>('/api/v1/messages')
  expect(messages.map(({ To }) => To.map(({ Address }) => Address))).toEqual([
    ['anna@shop.example'],
    ['anna@shop.example'],
  ])
  // The recipient that no header names comes after the one of the header.
  expect(messages.map(({ Bcc }) => Bcc.map(({ Address }) => Address)).sort()).toEqual([
    ['boss@shop.example'],
    ['boss@shop.example', 'ben@shop.example'],
  ])
})

test('MailHog: a mail with several recipients is one of the messages for each', async () => {
  const { get } = await sendToTwo('mailhog', '/api/v1/messages')
  const messages = await get<{ To: { Mailbox: string }[]; Raw: { To: string[] } }[]>('/api/v1/messages')
  expect(messages.map(({ To, Raw }) => [To.map(({ Mailbox }) => Mailbox), Raw.To]).sort()).toEqual([
    [['anna'], ['anna@shop.example']],
    [['ben'], ['ben@shop.example']],
  ])
})

test('MailDev: a mail with several recipients is one of the emails for each', async () => {
  const { get } = await sendToTwo('maildev', '/api/email')
  for (const path of ['/email', '/api/email']) {
    const emails = await get<{ envelope: { to: { address: string }[] } }[]>(path)
    expect(emails.map(({ envelope }) => envelope.to.map(({ address }) => address)).sort()).toEqual([
      ['anna@shop.example'],
      ['ben@shop.example'],
    ])
  }
})
