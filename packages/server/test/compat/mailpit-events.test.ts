import { MailpitClient } from 'mailpit-api'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { inGroups } from '../../src/domain/in-groups.ts'
import { makeTeamKey } from '../support/made-team.ts'
import { startServer } from '../support/server.ts'

const MAILS_FOR_SLOW = 250

type Event = { Type: string; Data: Record<string, unknown> | null }

/** A connection and what it received, without the counts. */
async function listen(door: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${door.replace('http', 'ws')}/api/events`, { headers })
  const events: Event[] = []
  const stats: Event[] = []
  socket.on('message', (text: Buffer) => {
    const event = JSON.parse(text.toString()) as Event
    ;(event.Type === 'stats' ? stats : events).push(event)
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  onTestFinished(async () => {
    socket.terminate()
    await closed
  })
  await new Promise((resolve) => socket.once('open', resolve))
  return { socket, events, stats, closed }
}

async function start() {
  const server = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  return { ...server, client: new MailpitClient(server.compatUrl), keyed: `${server.url}/compat/mailpit` }
}

test('new, read, deleted and truncated messages are announced as by Mailpit, whichever door changes them', async () => {
  const { client, compatUrl, sendMail, sdk } = await start()
  const { events, stats } = await listen(compatUrl)
  await expect.poll(() => stats[0]).toMatchObject({ Type: 'stats', Data: { Total: 0, Unread: 0 } })
  await sendMail({ to: 'anna+42@shop.example', subject: 'First' })
  await expect.poll(() => events).toHaveLength(1)
  const { ID } = (await client.listMessages()).messages[0]!
  expect(events[0]).toMatchObject({
    Type: 'new',
    Data: { ID, Subject: 'First', Read: false, Tags: ['42'], To: [{ Address: 'anna+42@shop.example' }], Cc: [] },
  })
  await expect.poll(() => stats.at(-1)).toMatchObject({ Data: { Total: 1, Unread: 1 } })

  await client.getMessageSummary(ID)
  await expect.poll(() => events[1]).toEqual({ Type: 'update', Data: { ID, Read: true } })
  await client.setReadStatus({ IDs: [ID], Read: false })
  await expect.poll(() => events[2]).toEqual({ Type: 'update', Data: { ID, Read: false } })

  await client.deleteMessages({ IDs: [ID] })
  await expect.poll(() => events[3]).toEqual({ Type: 'delete', Data: { ID } })
  await sendMail({ to: 'anna@shop.example', subject: 'Second' })
  await expect.poll(() => events[4]).toMatchObject({ Type: 'new', Data: { Subject: 'Second' } })
  const [second] = (await sdk.messages.list({})).data
  await sdk.messages.delete(second!.id)
  await expect.poll(() => events[5]).toEqual({ Type: 'delete', Data: { ID: events[4]!.Data!['ID'] } })

  await sendMail({ to: 'anna@shop.example', subject: 'Third' })
  await expect.poll(() => events).toHaveLength(7)
  await client.deleteMessages()
  await expect.poll(() => events[7]).toEqual({ Type: 'truncate', Data: null })
  await expect.poll(() => stats.at(-1)).toMatchObject({ Data: { Total: 0, Unread: 0 } })
})

test('a key that is bound to a mailbox learns nothing of others, and its connections end with it', async () => {
  const { client, keyed, dataDir, apiKey, url, sdk, sendMail } = await start()
  await sendMail({ to: 'alpha@mailhatch.test', subject: 'Before' })
  await client.waitForMessages()
  const { team } = await sdk.me()
  const alphaKey = await makeTeamKey({ DATA_DIR: dataDir }, team.name, { mailbox: 'alpha' })
  const [alpha, all] = await Promise.all(
    [alphaKey, apiKey].map((key) => listen(keyed, { authorization: `Bearer ${key}` })),
  )
  await sendMail({ to: 'beta@mailhatch.test', subject: 'For beta' })
  await expect.poll(() => all!.events).toHaveLength(1)
  const ID = all!.events[0]!.Data!['ID'] as string
  await client.getMessageSummary(ID)
  await expect.poll(() => all!.events).toHaveLength(2)
  await client.deleteMessages({ IDs: [ID] })
  await expect.poll(() => all!.events).toHaveLength(3)
  await sendMail({ to: 'alpha@mailhatch.test', subject: 'For alpha' })
  await expect.poll(() => alpha!.events.filter(({ Type }) => Type === 'new')).toHaveLength(1)
  expect(alpha!.events).toMatchObject([{ Type: 'new', Data: { Subject: 'For alpha' } }])
  await expect.poll(() => alpha!.stats.at(-1)).toMatchObject({ Data: { Total: 2 } })
  const told = alpha!.events[0]!.Data!['ID'] as string
  await client.deleteMessages({ IDs: [told] })
  await expect.poll(() => alpha!.events[1]).toEqual({ Type: 'delete', Data: { ID: told } })
  expect(alpha!.stats.every(({ Data }) => (Data!['Total'] as number) <= 2)).toBe(true)

  // What comes and goes before the next count.
  const before = alpha!.events.length
  await sendMail({ to: 'alpha@mailhatch.test', subject: 'Short' })
  await client.waitForMessage({ query: 'subject:Short' })
  await client.deleteMessagesBySearch({ query: 'subject:Short' })
  await expect.poll(() => alpha!.events.slice(before).map(({ Type }) => Type)).toEqual(['new', 'update', 'delete'])
  await expect.poll(() => alpha!.stats.at(-1)).toMatchObject({ Data: { Total: 1 } })
  // Nor does it learn when others get mail.
  const counts = alpha!.stats.length
  await sendMail({ to: 'beta@mailhatch.test', subject: 'More for beta' })
  await expect.poll(() => all!.stats.at(-1)).toMatchObject({ Data: { Total: 2 } })
  await sendMail({ to: 'alpha@mailhatch.test', subject: 'Last' })
  await expect.poll(() => alpha!.stats.at(-1)).toMatchObject({ Data: { Total: 2 } })
  expect(alpha!.stats).toHaveLength(counts + 1)
  // Mail from before it was connected.
  await client.deleteMessagesBySearch({ query: 'subject:Before' })
  await expect.poll(() => alpha!.events.at(-1)).toEqual({ Type: 'prune', Data: null })

  const rotated = await fetch(`${url}/v1/api-keys/rotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(rotated.status).toBe(200)
  expect(await all!.closed).toBe(1001)
  expect(alpha!.socket.readyState).toBe(WebSocket.OPEN)
})

test('tags that are set, renamed and deleted are announced as by Mailpit, to those who see the messages', async () => {
  const { client, compatUrl, keyed, dataDir, sdk, sendMail } = await start()
  for (const [index, name] of ['alpha', 'beta'].entries()) {
    await sendMail({ to: `${name}@mailhatch.test`, subject: name })
    await client.waitForMessages({ count: index + 1 })
  }
  const [beta, alpha] = (await client.listMessages()).messages.map(({ ID }) => ID)
  const { team } = await sdk.me()
  const key = await makeTeamKey({ DATA_DIR: dataDir }, team.name, { mailbox: 'alpha' })
  const [all, bound] = [await listen(compatUrl), await listen(keyed, { authorization: `Bearer ${key}` })]
  await client.setTags({ IDs: [beta!], Tags: ['zeta', 'ZETA', 'only beta'] })
  await client.renameTag('zeta', 'omega')
  await client.setTags({ IDs: [beta!, alpha!], Tags: ['both'] })
  await client.deleteTag('both')
  const update = (ID: string, Tags: string[]) => ({ Type: 'update', Data: { ID, Tags } })
  const prune = { Type: 'prune', Data: null }
  const ofBoth = [update(beta!, ['both']), update(alpha!, ['both'])]
  await expect.poll(() => all.events).toEqual([update(beta!, ['zeta', 'only beta']), prune, ...ofBoth, prune])
  await expect.poll(() => bound.events).toEqual([update(alpha!, ['both']), prune])
})

test('messages that go with their mailbox, or because they are old, are announced like others', async () => {
  let ahead = 0
  const settings = { COMPAT: 'mailpit', COMPAT_PORT: '0', DEFAULT_PLAN: 'pro', RETENTION_SWEEP_SECONDS: '1' }
  const { compatUrl, sendMail, sdk } = await startServer(settings, () => Date.now() + ahead)
  const { events, stats } = await listen(compatUrl)
  await sendMail({ to: 'anna@mailhatch.test', subject: 'First' })
  await expect.poll(() => events).toHaveLength(1)
  const mailboxes = await sdk.mailboxes.list()
  for (const { id } of mailboxes) await sdk.mailboxes.delete(id)
  await expect.poll(() => events[1]).toEqual({ Type: 'delete', Data: { ID: events[0]!.Data!['ID'] } })
  await expect.poll(() => stats.at(-1)).toMatchObject({ Data: { Total: 0 } })

  await sendMail({ to: 'ben@mailhatch.test', subject: 'Second' })
  await expect.poll(() => events).toHaveLength(3)
  ahead = 100 * 86_400_000
  await expect.poll(() => events[3]).toEqual({ Type: 'delete', Data: { ID: events[2]!.Data!['ID'] } })
})

test('a client that does not read is cut, and others miss nothing', async () => {
  const { compatUrl, sendMail } = await start()
  const [slow, other] = [await listen(compatUrl), await listen(compatUrl)]
  slow.socket.pause()
  // About 60 kB in each event, and more in all than the system buffers for a connection.
  const many = Array.from({ length: 1_000 }, (_, number) => `user-number-${number}@shop.example`).join(',\r\n ')
  const raw = `From: a@shop.example\r\nTo: ${many}\r\nSubject: Many\r\n\r\nHello\r\n`
  const mail = { envelope: { from: 'a@shop.example', to: 'anna@shop.example' }, raw }
  await inGroups(Array.from({ length: MAILS_FOR_SLOW }), 25, () => sendMail(mail))
  await expect.poll(() => other.events).toHaveLength(MAILS_FOR_SLOW)
  slow.socket.resume()
  expect(await slow.closed).toBe(1006)
  expect(slow.events.length).toBeLessThan(MAILS_FOR_SLOW)
  expect(other.socket.readyState).toBe(WebSocket.OPEN)
})

test('500 clients see a message, and a stop ends them', async () => {
  const { compatUrl, sendMail, close } = await start()
  const clients = await Promise.all(Array.from({ length: 500 }, () => listen(compatUrl)))
  await sendMail({ to: 'anna@shop.example', subject: 'For all' })
  await expect.poll(() => clients.filter(({ events }) => events.length === 1)).toHaveLength(500)
  await close()
  await Promise.all(clients.map(({ closed }) => closed))
})
