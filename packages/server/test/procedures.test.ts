import type { MessageSummary } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { describe, expect, test } from 'vitest'
import { SUBSCRIPTION_LIMITS } from '../src/read/subscriptions.ts'
import { announcement, post, storeMany } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { openPeople, refusal, type Person } from './support/people.ts'
import { callProcedure, readEvents } from './support/procedure.ts'

const server = await startFileServer({ INBOX_ROOT_DOMAIN: 'root.test' })
const { url } = server
const people = await openPeople(server)
const { newTeam, person } = people

let boxes = 0

/** A team with a mailbox that has mail in it. */
async function newInbox(subjects: string[] = []) {
  const { owner, team, join } = await newTeam()
  const { name } = await owner.call.inbox.mailboxes.create.mutate({ name: `inbox-${++boxes}` })
  const send = (subject: string, tag: string | null = null, from = 'app@shop.example') =>
    server.store({ mailbox: name, domain: 'root.test', subject, tag, from })
  for (const subject of subjects) await send(subject)
  return { owner, team, join, name, send }
}

/** Follows like a page. The id of the last event is the position to resume from. */
async function* follow(who: Person, input: object = {}): AsyncGenerator<{ id: string; message: MessageSummary }> {
  const address = `${url}/trpc/inbox.messages.follow?input=${encodeURIComponent(JSON.stringify(input))}`
  const response = await fetch(address, { headers: { ...who.headers, accept: 'text/event-stream' } })
  for await (const { event, id, data } of readEvents(response)) {
    if (event === 'message') yield { id: id!, message: JSON.parse(data) as MessageSummary }
  }
}

async function next<Value>(stream: AsyncGenerator<Value>): Promise<Value> {
  const { value, done } = await stream.next()
  if (done) throw new Error('The stream has ended.')
  return value
}

describe('inbox.messages', () => {
  test('lists, counts and reads like the REST API, with the same filters', async () => {
    const { owner, name, send } = await newInbox(['one', 'two'])
    await send('three', 'login')
    const { messages, hasMore, cursor } = await owner.call.inbox.messages.list.query({ mailbox: name, limit: 2 })
    expect(messages.map(({ subject }) => subject)).toEqual(['three', 'two'])
    expect(hasMore).toBe(true)
    const older = await owner.call.inbox.messages.list.query({ afterId: messages[1]!.id })
    expect(older.messages.map(({ subject }) => subject)).toEqual(['one'])
    expect((await owner.call.inbox.messages.list.query({ tags: ['login', 'x'] })).messages).toHaveLength(1)
    expect((await owner.call.inbox.messages.list.query({ after: cursor })).messages).toEqual([])
    expect(await owner.call.inbox.messages.count.query()).toEqual({ count: 3, isExact: true })
    expect(await owner.call.inbox.messages.count.query({ subject: 'T' })).toEqual({ count: 2, isExact: true })
    const detail = await owner.call.inbox.messages.get.query({ id: messages[0]!.id })
    const { isRead, ...summary } = messages[0]!
    expect(detail).toMatchObject({ ...summary, textContent: 'Hello' })
    expect(isRead).toBe(false)
    for (const input of [{ limit: 201 }, { since: 'yesterday' }, { mailbox: 'a b c' }, { after: '!' }]) {
      expect(await refusal(owner.call.inbox.messages.list.query(input))).toMatchObject({ status: 400 })
    }
    await owner.call.inbox.messages.remove.mutate({ id: detail.id })
    expect(await refusal(owner.call.inbox.messages.get.query({ id: detail.id }))).toMatchObject({ status: 404 })
  })

  test('finds by the words of the search box, and refuses an exclusion without a condition', async () => {
    const { owner, name, send } = await newInbox(['one'])
    await send('two', 'login', 'bank@bank.example')
    const attachments = [
      { index: 0, filename: 'a.txt', contentType: 'text/plain', size: 9, contentId: null, inline: false },
    ]
    const domain = 'root.test'
    const plainContent = 'Your code is 482913'
    await server.store({ mailbox: name, domain, subject: 'three', attachments, plainContent, size: 5_000 })
    const { list, count, removeAll } = owner.call.inbox.messages
    const find = async (input: Parameters<typeof list.query>[0]) =>
      (await list.query(input)).messages.map(({ subject }) => subject)
    expect(await find({ hasAttachment: true, hasCode: true, largerThan: 4_999 })).toEqual(['three'])
    expect(await find({ largerThan: 5_000 })).toEqual([])
    expect(await find({ smallerThan: 5_000, without: [{ from: 'bank' }] })).toEqual(['one'])
    expect(await find({ without: [{ tag: 'login' }, { hasCode: true }] })).toEqual(['one'])
    expect(await find({ without: [{ mailbox: name, subject: 'o' }, { before: '2020-01-01T00:00:00Z' }] })).toEqual([
      'three',
    ])
    expect(await find({ before: '2020-01-01T00:00:00Z' })).toEqual([])
    for (const input of [
      { without: [{}] },
      { without: [{ from: '' }] },
      { before: 'soon' },
      { without: [{ since: 'x' }] },
    ]) {
      expect(await refusal(list.query(input))).toMatchObject({ status: 400 })
      expect(await refusal(removeAll.mutate(input))).toMatchObject({ status: 400 })
    }
    // A newer dashboard may have words that this server does not know.
    const unknown: object = { hasPicture: true }
    expect(await refusal(removeAll.mutate(unknown))).toMatchObject({ status: 400 })
    expect(await refusal(owner.call.inbox.readMarks.setAll.mutate(unknown))).toMatchObject({ status: 400 })
    expect(await count.query({ hasAttachment: true })).toEqual({ count: 1, isExact: true })
    expect(await removeAll.mutate({ without: [{ hasAttachment: true }] })).toEqual({ deleted: 2 })
    expect(await find({})).toEqual(['three'])
  })

  test('returns the first words and the code of messages of the own team', async () => {
    const { owner, name, send } = await newInbox()
    const { id } = await server.store({ mailbox: name, domain: 'root.test', plainContent: 'Your code\nis 482913' })
    const plain = await send('No code')
    const foreign = await newInbox()
    const unseen = await foreign.send('Secret')
    const ids = [id, plain.id, unseen.id, 'no id']
    const found = await owner.call.inbox.messages.previews.query({ ids })
    expect(found.toSorted((a, b) => b.text.length - a.text.length)).toEqual([
      { id, text: 'Your code is 482913', code: '482913' },
      { id: plain.id, text: 'Hello', code: null },
    ])
    const tooMany = Array.from({ length: 51 }, () => id)
    expect(await refusal(owner.call.inbox.messages.previews.query({ ids: tooMany }))).toMatchObject({ status: 400 })
  })

  test('several calls fit in one request, up to a limit', async () => {
    const { owner } = await newInbox(['one'])
    const paths = (count: number) => Array.from({ length: count }, () => 'inbox.messages.count').join(',')
    const batch = (count: number) => fetch(`${url}/trpc/${paths(count)}?batch=1`, { headers: owner.headers })
    expect(await (await batch(20)).json()).toEqual(
      Array.from({ length: 20 }, () => ({ result: { data: { count: 1, isExact: true } } })),
    )
    expect((await batch(21)).status).toBe(400)
  })

  test('a body that is too large or unreadable is refused in the format of procedures', async () => {
    const { owner } = await newInbox()
    const send = (body: string) =>
      fetch(`${url}/trpc/team.update`, {
        method: 'POST',
        headers: { ...owner.headers, 'content-type': 'application/json' },
        body,
      })
    const large = await send(JSON.stringify({ name: 'x'.repeat(262_144) }))
    expect(large.status).toBe(413)
    expect(await large.json()).toMatchObject({ error: { data: { errorCode: 'payload_too_large' } } })
    const broken = await send('{')
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ error: { data: { errorCode: 'validation_failed' } } })
    expect((await send('{"name":"Fine"}')).status).toBe(200)
  })
})

describe('inbox.messages.follow', () => {
  test('sends new messages in order, and resumes where it was interrupted', async () => {
    const { owner, send } = await newInbox(['before'])
    const stream = follow(owner, { after: 'c0' })
    expect((await next(stream)).message.subject).toBe('before')
    await send('first')
    const first = await next(stream)
    expect(first.message.subject).toBe('first')
    await stream.return(undefined)
    await send('while away')
    const resumed = follow(owner, { after: 'c0', lastEventId: first.id })
    expect((await next(resumed)).message.subject).toBe('while away')
    await send('live')
    expect((await next(resumed)).message.subject).toBe('live')
    await resumed.return(undefined)
  })

  test('hundreds of waiting messages arrive in order, each once', async () => {
    const { owner, name } = await newInbox()
    const sent = await storeMany(url, 250, (number) => ({ mailbox: name, domain: 'root.test', subject: `n ${number}` }))
    const stream = follow(owner, { after: 'c0' })
    const got = []
    for (const _ of sent) got.push((await next(stream)).message.subject)
    expect(got).toEqual(sent.map(({ subject }) => subject))
    await stream.return(undefined)
  })

  test('sends only matching messages of the own team', async () => {
    const { owner, send } = await newInbox()
    const other = await newInbox()
    const stream = follow(owner, { after: 'c0', tag: 'wanted' })
    await other.send('theirs', 'wanted')
    await send('no tag')
    await send('ours', 'wanted')
    expect((await next(stream)).message.subject).toBe('ours')
    await stream.return(undefined)
  })

  test('ends for a user who is removed from the team', async () => {
    const { owner, send, join } = await newInbox()
    const leaving = await person()
    await join(leaving)
    const stream = follow(leaving, { after: 'c0' })
    await send('still here')
    expect((await next(stream)).message.subject).toBe('still here')
    await owner.call.team.removeMember.mutate({ userId: leaving.id })
    await send('secret')
    expect((await stream.next()).done).toBe(true)
  })

  test('ends when the session is ended', async () => {
    const { owner, send } = await newInbox()
    const stream = follow(owner, { after: 'c0' })
    await send('still here')
    await next(stream)
    await people.store.removeSessions(owner.id)
    expect((await stream.next()).done).toBe(true)
  })

  test('makes room when a page is closed: more in a row than a user may have at once', async () => {
    const { owner } = await newInbox(['here'])
    for (let page = 0; page < SUBSCRIPTION_LIMITS.perUser + 10; page++) {
      const stream = follow(owner, { after: 'c0' })
      expect((await next(stream)).message.subject).toBe('here')
      await stream.return(undefined)
    }
  })

  test('an id that is not a cursor is refused', async () => {
    const { owner } = await newInbox()
    const call = { path: 'inbox.messages.follow', type: 'subscription', headers: owner.headers } as const
    expect(await callProcedure(url, { ...call, input: { lastEventId: '!' } })).toMatchObject({ status: 400 })
  })
})

describe('downloads by session', () => {
  test('the raw mail and its attachments are for members of the team', async () => {
    const operator = await people.operator()
    const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
    await transport.sendMail({
      from: 'app@shop.example',
      to: 'files@mailhatch.test',
      subject: 'Report',
      text: 'See attached.',
      attachments: [{ filename: 'report.txt', content: 'forty-two' }],
    })
    transport.close()
    const { data } = await server.latest({ mailbox: 'files', wait: 10 })
    const get = (path: string, headers: Record<string, string>) => fetch(`${url}/app/messages/${path}`, { headers })
    const raw = await get(`${data.id}/raw`, operator.headers)
    expect(raw.status).toBe(200)
    expect(raw.headers.get('content-disposition')).toBe(`attachment; filename="${data.id}.eml"`)
    expect(await raw.text()).toContain('Subject: Report')
    const attachment = await get(`${data.id}/attachments/0`, operator.headers)
    expect(await attachment.text()).toBe('forty-two')
    expect(attachment.headers.get('x-content-type-options')).toBe('nosniff')
    const { owner: outsider } = await newTeam()
    for (const path of [`${data.id}/raw`, `${data.id}/attachments/0`]) {
      expect((await get(path, outsider.headers)).status).toBe(404)
      expect((await get(path, {})).status).toBe(401)
      expect((await get(path, (await person()).headers)).status).toBe(403)
      // A key of the team is not a session.
      expect((await get(path, { authorization: `Bearer ${server.apiKey}` })).status).toBe(401)
    }
  })
})

describe('figures', () => {
  test('metrics.overview counts by day, mailbox, tag and sender, and sums bytes', async () => {
    const { owner, name, send } = await newInbox(['plain'])
    await send('a', 'login', 'Alerts@Shop.example')
    await send('b', 'login', 'alerts@shop.example')
    await send('c', 'reset', 'alerts@shop.example')
    const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString()
    await server.store({ mailbox: name, domain: 'root.test', receivedAt: day(29), size: 1_200 })
    await server.store({ mailbox: name, domain: 'root.test', receivedAt: day(31) })
    for (const size of [100, 23]) await server.store({ mailbox: name, domain: 'root.test', size })
    const metrics = await owner.call.metrics.overview.query()
    expect(metrics.total).toBe(7)
    expect(metrics.days).toHaveLength(30)
    expect(metrics.days.filter(({ count }) => count > 0)).toEqual([
      { date: day(29).slice(0, 10), count: 1, bytes: 1_200, delivered: 0, failed: 0 },
      { date: day(0).slice(0, 10), count: 6, bytes: 123, delivered: 0, failed: 0 },
    ])
    expect(metrics.mailboxes).toEqual([{ name, count: 7 }])
    expect(metrics.tags).toEqual([
      { name: 'login', count: 2 },
      { name: 'reset', count: 1 },
    ])
    expect(metrics.senders[0]).toEqual({ name: 'alerts@shop.example', count: 3 })
    expect(metrics.countedMessages).toBe(7)
    const tags = await owner.call.inbox.tags.list.query()
    expect(tags.map(({ tag, count }) => [tag, count])).toEqual([
      ['reset', 1],
      ['login', 2],
    ])
  })

  test('usage.current shows the limits of the plan', async () => {
    const { owner } = await newTeam('pro')
    await owner.call.inbox.mailboxes.create.mutate({ name: 'used-box' })
    await owner.call.apiKeys.create.mutate({ name: 'ci' })
    expect(await owner.call.usage.current.query()).toEqual({
      plan: 'pro',
      retentionDays: 90,
      requestsPerMinute: 1_000,
      messages: 0,
      mailboxes: { used: 1, limit: 20 },
      keys: { used: 1, limit: 10 },
      members: { used: 1, limit: 15 },
      webhooks: { used: 0, isAvailable: true },
    })
  })
})

describe('mail without a team', () => {
  test('can be listed and retried by the operator', async () => {
    const operator = await people.operator()
    expect(await operator.call.team.current.query()).toMatchObject({ seesUnrouted: true })
    const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
    await transport.sendMail({ from: 'app@shop.example', to: 'late-box@root.test', subject: 'Too early', text: 'Hi' })
    transport.close()
    const { unrouted } = operator.call.inbox
    const find = async () => (await unrouted.list.query({})).mails.find(({ subject }) => subject === 'Too early')
    await expect.poll(find).toMatchObject({ mailbox: 'late-box', domain: 'root.test', attempts: 1 })
    const mail = (await find())!
    // It is under other addresses, so the dashboard lists it only there.
    await expect.poll(() => operator.call.inbox.others.summary.query().then(({ count }) => count)).toBe(1)
    expect((await unrouted.list.query({ withoutOthers: true })).mails).toEqual([])
    expect(await refusal(unrouted.retry.mutate(mail))).toMatchObject({ status: 502, code: 'announcement_failed' })
    expect(await refusal(unrouted.retry.mutate({ ...mail, mailbox: 'other' }))).toMatchObject({ status: 404 })

    const { owner } = await newTeam()
    await owner.call.inbox.mailboxes.create.mutate({ name: 'late-box' })
    expect(await unrouted.retry.mutate(mail)).toEqual({ id: mail.id })
    expect((await owner.call.inbox.messages.get.query({ id: mail.id })).subject).toBe('Too early')
    expect(await find()).toBeUndefined()
    expect(await refusal(owner.call.inbox.unrouted.list.query({}))).toMatchObject({ status: 403 })
  })

  test('rejections are shown to the owner of the domain, and all of them to the operator', async () => {
    const operator = await people.operator()
    const { owner } = await newTeam()
    await owner.call.inbox.settings.update.mutate({ domain: 'refused.example' })
    await post(url, announcement({ domain: 'nobodys.example', mailbox: 'orders' }))
    const list = async (who: Pick<Person, 'call'>) =>
      (await who.call.inbox.rejections.list.query({})).map(({ to, code }) => `${to} ${code}`)
    await expect.poll(() => list(operator)).toContain('orders@nobodys.example inbox_domain_unknown')
    expect(await list(owner)).toEqual([])
  })
})
