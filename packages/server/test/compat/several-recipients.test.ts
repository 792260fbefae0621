import { MailpitClient } from 'mailpit-api'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { PeerName } from '../../src/compat/peers.ts'
import { makeTeamKey } from '../support/made-team.ts'
import { startServer } from '../support/server.ts'
import { ask, basic } from './ask.ts'

type Address = { Address: string }
type Listed = { ID: string; Subject: string; Read: boolean; To: Address[]; Cc: Address[]; Bcc: Address[] }
type Page = { total: number; unread: number; messages_count: number; messages: Listed[] }

const ANNA = 'anna@mailhatch.test'
const BEN = 'ben+signup@mailhatch.test'
const CARL = 'carl@mailhatch.test'

/** One mail for Anna and, without saying so, for Ben, with a copy for Carl. */
const TO_ALL = {
  envelope: { from: 'app@shop.example', to: [ANNA, CARL, BEN] },
  raw: `From: app@shop.example\r\nTo: ${ANNA}\r\nCc: ${CARL}\r\nBcc: boss@shop.example\r\nX-Tags: red\r\nSubject: All\r\n\r\nHello\r\n`,
}

type Event = { Type: string; Data: { ID: string; Read?: boolean } | null }

/** The events that a connection gets, without counts. */
async function listen(door: string, headers: Record<string, string> = {}): Promise<Event[]> {
  const socket = new WebSocket(`${door.replace('http', 'ws')}/api/events`, { headers })
  onTestFinished(() => socket.terminate())
  const events: Event[] = []
  socket.on('message', (text: Buffer) => {
    const event = JSON.parse(text.toString()) as Event
    if (event.Type !== 'stats') events.push(event)
  })
  await new Promise((resolve) => socket.once('open', resolve))
  return events
}

async function start(peer: PeerName) {
  const server = await startServer({ COMPAT: peer, COMPAT_PORT: '0' })
  const { compatUrl, dataDir, sdk, url } = server
  const sendToAll = async () => {
    const { count } = await sdk.messages.count()
    await server.sendMail(TO_ALL)
    await expect.poll(() => sdk.messages.count()).toMatchObject({ count: count + TO_ALL.envelope.to.length })
  }
  await sendToAll()
  const { team } = await sdk.me()
  const keyFor = (mailbox: string) => makeTeamKey({ DATA_DIR: dataDir }, team.name, { mailbox })
  return {
    ...server,
    sendToAll,
    keyFor,
    get: async <Body>(path: string) => (await (await fetch(`${compatUrl}${path}`)).json()) as Body,
    /** What a key of one mailbox sees. */
    async getAs<Body>(mailbox: string, path: string): Promise<Body> {
      const headers = basic('', await keyFor(mailbox))
      return JSON.parse((await ask(`${url}/compat/${peer}${path}`, headers)).text) as Body
    },
  }
}

const addressesIn = (list: Address[] | null) => (list ?? []).map(({ Address }) => Address)

test('Mailpit: a mail with several recipients is one message, in lists, counts and searches', async () => {
  const { get, getAs, sendMail, sendToAll } = await start('mailpit')
  const counts = async (path: string) => {
    const { total, unread, messages_count, messages } = await get<Page>(path)
    return { total, unread, messages_count, listed: messages.length }
  }
  const [mail] = (await get<Page>('/api/v1/messages')).messages
  expect([mail!.To, mail!.Cc, mail!.Bcc].map(addressesIn)).toEqual([[ANNA], [CARL], ['boss@shop.example', BEN]])
  expect(await counts('/api/v1/messages')).toEqual({ total: 1, unread: 1, messages_count: 1, listed: 1 })
  for (const query of ['to:anna', 'bcc:ben', 'tag:signup', 'hello', 'ben+signup']) {
    expect(await counts(`/api/v1/search?query=${encodeURIComponent(query)}`)).toMatchObject({ messages_count: 1 })
  }

  // Each key of a mailbox sees the mail under the same id, but not who else got it without being named.
  for (const [mailbox, hidden] of [
    ['anna', []],
    ['ben', [BEN]],
  ] as const) {
    const { messages, total, unread } = await getAs<Page>(mailbox, '/api/v1/messages')
    expect(messages.map(({ ID, Bcc }) => [ID, addressesIn(Bcc)])).toEqual([
      [mail!.ID, ['boss@shop.example', ...hidden]],
    ])
    expect([total, unread]).toEqual([1, 1])
    for (const query of ['bcc:ben', 'tag:signup', 'ben+signup']) {
      const found = await getAs<Page>(mailbox, `/api/v1/search?query=${encodeURIComponent(query)}`)
      expect(found.messages).toHaveLength(hidden.length)
    }
  }

  await sendMail({ to: ANNA, subject: 'One' })
  await expect.poll(() => counts('/api/v1/messages')).toMatchObject({ total: 2 })
  await sendToAll()
  expect(await counts('/api/v1/messages')).toEqual({ total: 3, unread: 3, messages_count: 3, listed: 3 })
  // More messages than the store is asked for at once.
  const to = Array.from({ length: 12 }, (_, number) => `user${number}@mailhatch.test`)
  await sendMail({ envelope: { from: 'app@shop.example', to }, raw: 'Subject: Many\r\n\r\nHello\r\n' })
  expect(await counts('/api/v1/messages')).toEqual({ total: 4, unread: 4, messages_count: 4, listed: 4 })
  const subjectsFrom = async (start: number) =>
    (await get<Page>(`/api/v1/messages?start=${start}&limit=1`)).messages.map(({ Subject }) => Subject)
  expect(await Promise.all([0, 1, 2, 3, 4].map(subjectsFrom))).toEqual([['Many'], ['All'], ['One'], ['All'], []])
  expect((await get<Page>('/api/v1/messages')).messages[0]!.Bcc.map(({ Address }) => Address)).toEqual(to)
})

test('Mailpit: what is done to a mail is done to all of its messages', async () => {
  const { compatUrl, url, sdk, sendMail, sendToAll, get, getAs, keyFor } = await start('mailpit')
  const client = new MailpitClient(compatUrl)
  const events = await listen(compatUrl)
  const ofAnna = await listen(`${url}/compat/mailpit`, basic('', await keyFor('anna')))
  const unread = async () => (await get<Page>('/api/v1/messages')).unread
  const { ID } = (await client.listMessages()).messages[0]!

  await client.getMessageSummary(ID)
  expect(await unread()).toBe(0)
  await expect.poll(() => ofAnna).toEqual([{ Type: 'update', Data: { ID, Read: true } }])
  await client.setReadStatus({ IDs: [ID], Read: false })
  expect(await unread()).toBe(1)
  // A key that sees one message of it reads that one, and the mail is still unread for others.
  await expect.poll(() => ofAnna).toHaveLength(2)
  await getAs('ben', `/api/v1/message/${ID}`)
  expect([await unread(), (await getAs<Page>('ben', '/api/v1/messages')).unread]).toEqual([1, 0])
  await client.setTags({ IDs: [ID], Tags: ['one'] })
  expect((await client.listMessages()).messages[0]).toMatchObject({ ID, Tags: ['one'], Read: false })
  expect((await client.searchMessages({ query: 'tag:signup' })).messages_count).toBe(0)
  await client.renameTag('one', 'two')
  expect((await client.getMessageSummary(ID)).Tags).toEqual(['two'])
  await expect
    .poll(() => ofAnna.slice(2))
    .toMatchObject([{ Data: { ID } }, { Type: 'prune' }, { Data: { Read: true } }])

  // Through another API, one of its messages goes after the other.
  const messages = await sdk.messages.list({})
  for (const { id, to } of messages.data.filter((message) => message.to !== BEN)) {
    await sdk.messages.delete(id)
    expect((await client.getMessageSummary(ID)).To, to).toMatchObject([{ Address: ANNA }])
  }
  expect(events.filter(({ Type }) => Type === 'delete')).toEqual([])
  await sdk.messages.delete(messages.data.find(({ to }) => to === BEN)!.id)
  await expect.poll(() => events.filter(({ Type }) => Type === 'delete')).toEqual([{ Type: 'delete', Data: { ID } }])

  await sendToAll()
  const [next] = (await client.listMessages()).messages
  await expect.poll(() => events.filter(({ Type }) => Type === 'new')).toMatchObject([{ Data: { ID: next!.ID } }])
  await client.renameTag('red', 'blue')
  expect((await client.getMessageSummary(next!.ID)).Tags).toEqual(['blue', 'signup'])
  // The tag of a recipient whom Anna does not know stays unknown to her.
  expect((await getAs<Page>('anna', '/api/v1/messages')).messages).toMatchObject([{ Tags: ['blue'] }])
  // One that a client has set for all of them does not.
  await client.setTags({ IDs: [next!.ID], Tags: ['signup', 'other'] })
  await client.renameTag('other', 'another')
  expect((await getAs<Page>('anna', '/api/v1/messages')).messages).toMatchObject([{ Tags: ['another', 'signup'] }])
  await client.deleteMessages({ IDs: [next!.ID] })
  expect(await sdk.messages.count()).toMatchObject({ count: 0 })
  // After all others.
  await sendMail({ to: ANNA, subject: 'Last' })
  await expect.poll(() => events.filter(({ Type }) => Type === 'new')).toHaveLength(2)
  const [update, prune, gone] = ['update', 'prune', 'delete'].map((type) => events.filter(({ Type }) => Type === type))
  expect([update!.length, prune!.length, gone!.length]).toEqual([7, 3, 2])
})

test('MailHog: a mail with several recipients is one message, in lists, counts and searches', async () => {
  const { compatUrl, get, getAs, sdk } = await start('mailhog')
  type Item = { ID: string; To: { Mailbox: string }[]; Raw: { To: string[] } }
  type Items = { total: number; count: number; items: Item[] }
  for (const path of ['messages?', 'search?kind=to&query=ben%2B&', 'search?kind=containing&query=hello&']) {
    const { total, count, items } = await get<Items>(`/api/v2/${path}limit=10`)
    expect({ total, count, to: items.map(({ Raw }) => Raw.To) }).toEqual({
      total: 1,
      count: 1,
      to: [[ANNA, CARL, BEN]],
    })
    expect(items[0]!.To.map(({ Mailbox }) => Mailbox)).toEqual(['anna', 'carl', 'ben+signup'])
  }
  const [item] = await get<Item[]>('/api/v1/messages')
  expect(await getAs<Item[]>('ben', '/api/v1/messages')).toMatchObject([{ ID: item!.ID, Raw: { To: [BEN] } }])
  expect(await get<Item>(`/api/v1/messages/${item!.ID}`)).toEqual(item)
  await fetch(`${compatUrl}/api/v1/messages/${item!.ID}`, { method: 'DELETE' })
  expect(await sdk.messages.count()).toMatchObject({ count: 0 })
})

test('MailDev: a mail with several recipients is one email, in lists and counts', async () => {
  const { compatUrl, get, getAs, sdk } = await start('maildev')
  type Email = { id: string; read: boolean; envelope: { to: Address[] }; calculatedBcc: Address[] }
  for (const path of ['/email', '/api/email']) {
    const emails = await get<{ id: string; envelope: { to: { address: string }[] }; calculatedBcc: object[] }[]>(path)
    expect(emails.map(({ envelope }) => envelope.to.map(({ address }) => address))).toEqual([[ANNA, CARL, BEN]])
    expect(emails[0]!.calculatedBcc).toEqual([{ address: BEN, name: '' }])
  }
  const summary = () => get<{ total: number; storeTotal: number; unread: number; items: Email[] }>('/api/email/summary')
  const before = await summary()
  expect(before).toMatchObject({ total: 1, storeTotal: 1, unread: 1, items: [{ read: false }] })
  const { id } = before.items[0]!
  expect(await getAs<Email[]>('carl', '/api/email')).toMatchObject([
    { id, envelope: { to: [{ address: CARL }] }, calculatedBcc: [] },
  ])
  expect((await get<Email>(`/email/${id}`)).read).toBe(true)
  expect(await summary()).toMatchObject({ total: 1, unread: 0, items: [{ id, read: true }] })
  await fetch(`${compatUrl}/email/${id}`, { method: 'DELETE' })
  expect(await sdk.messages.count()).toMatchObject({ count: 0 })
})
