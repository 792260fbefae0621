import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { ListedMessage, PresentedMarks } from '../src/http/rpc/messages.ts'
import { startFileServer } from './support/file-server.ts'
import { openSqliteStore } from './support/grown-install.ts'
import { openPeople, refusal, type Person } from './support/people.ts'
import { readEvents } from './support/procedure.ts'
import { temporaryFolder } from './support/server.ts'

const server = await startFileServer({ INBOX_ROOT_DOMAIN: 'root.test' })
const { url } = server
const people = await openPeople(server)

let boxes = 0

/** A team of an owner and a member, with a mailbox and a message for each subject. */
async function newInbox(...subjects: string[]) {
  const { owner, join: addToTeam } = await people.newTeam()
  const member = await people.person()
  await addToTeam(member)
  const { name, id } = await owner.call.inbox.mailboxes.create.mutate({ name: `marks-${++boxes}` })
  const send = (subject: string, tag: string | null = null) =>
    server.store({ mailbox: name, domain: 'root.test', subject, tag })
  const ids: string[] = []
  for (const subject of subjects) ids.push((await send(subject)).id)
  return { owner, member, name, mailboxId: id, ids, send }
}

async function unreadOf(who: Person): Promise<string[]> {
  const { messages } = await who.call.inbox.messages.list.query({ limit: 200 })
  return messages.filter(({ isRead }) => !isRead).map(({ subject }) => subject)
}

type Event = { message: ListedMessage } | { marks: PresentedMarks }

async function* follow(who: Person, input: object): AsyncGenerator<Event> {
  const address = `${url}/trpc/inbox.messages.follow?input=${encodeURIComponent(JSON.stringify(input))}`
  const response = await fetch(address, { headers: { ...who.headers, accept: 'text/event-stream' } })
  for await (const { event, data } of readEvents(response)) {
    if (event !== 'message') continue
    const value = JSON.parse(data) as ListedMessage | PresentedMarks
    yield 'marks' in value ? { marks: value } : { message: value }
  }
}

test('a message that one member opens is read for all members, and can be marked as unread again', async () => {
  const { owner, member, ids, mailboxId } = await newInbox('one', 'two')
  expect(await unreadOf(owner)).toEqual(['two', 'one'])
  const mark = { ids: [ids[0]!, ids[0]!.toUpperCase(), 'no id'], isRead: true }
  expect(await member.call.inbox.readMarks.set.mutate(mark)).toEqual({ changed: 1 })
  expect(await member.call.inbox.readMarks.set.mutate(mark)).toEqual({ changed: 0 })
  expect(await unreadOf(owner)).toEqual(['two'])
  expect(await owner.call.inbox.readMarks.counts.query()).toEqual({
    total: 2,
    unread: 1,
    mailboxes: [{ id: mailboxId, total: 2, unread: 1, isExact: true }],
  })
  await owner.call.inbox.readMarks.set.mutate({ ids, isRead: false })
  expect(await unreadOf(member)).toEqual(['two', 'one'])
})

test('messages of another team are neither marked nor counted', async () => {
  const ours = await newInbox('ours')
  const theirs = await newInbox('theirs')
  expect(await theirs.owner.call.inbox.readMarks.set.mutate({ ids: ours.ids, isRead: true })).toEqual({ changed: 0 })
  expect(await theirs.owner.call.inbox.readMarks.setAll.mutate()).toEqual({ unread: 0 })
  expect(await unreadOf(ours.owner)).toEqual(['ours'])
  expect(await ours.owner.call.inbox.readMarks.counts.query()).toMatchObject({ total: 1, unread: 1 })
})

test('all messages are marked at once, but not those that arrived after the list was loaded', async () => {
  const { owner, member, send } = await newInbox('one', 'two')
  const { cursor } = await owner.call.inbox.messages.list.query()
  await send('three')
  expect(await member.call.inbox.readMarks.setAll.mutate({ upTo: cursor })).toEqual({ unread: 1 })
  expect(await unreadOf(owner)).toEqual(['three'])
  // A cursor beyond the newest message does not mark mail that arrives later.
  expect(await member.call.inbox.readMarks.setAll.mutate({ upTo: 'czzz' })).toEqual({ unread: 0 })
  await send('four')
  expect(await unreadOf(owner)).toEqual(['four'])
  const wrong = await refusal(owner.call.inbox.readMarks.setAll.mutate({ upTo: 'yesterday' }))
  expect(wrong).toMatchObject({ status: 400 })
})

test('all matches of a filter are marked, and other messages stay unread', async () => {
  const { owner, ids, send } = await newInbox('other')
  for (let number = 0; number < 120; number++) await send(`found ${number}`, 'wanted')
  const { cursor, marks } = await owner.call.inbox.messages.list.query()
  expect(await owner.call.inbox.readMarks.setAll.mutate({ tag: 'wanted' })).toEqual({ unread: 1 })
  expect(await unreadOf(owner)).toEqual(['other'])
  // A position has replaced the marks; the message that stays unread has one.
  const stream = follow(owner, { after: cursor, marks })
  const { value } = await stream.next()
  await stream.return(undefined)
  expect(value).toMatchObject({ marks: { readThrough: cursor, isCut: false } })
  const isUnread = (event: Event) => 'marks' in event && event.marks.changed.filter(({ isRead }) => !isRead)
  expect(isUnread(value as Event)).toEqual([{ id: ids[0], isRead: false }])
})

test('a search for unread messages finds, counts, marks and deletes exactly these', async () => {
  const { owner, member, ids, send } = await newInbox('opened', 'two', 'three')
  await send('tagged', 'wanted')
  await member.call.inbox.readMarks.set.mutate({ ids: ids.slice(0, 1), isRead: true })
  const { list, count, removeAll } = owner.call.inbox.messages
  const find = async (input: Parameters<typeof list.query>[0]) =>
    (await list.query(input)).messages.map(({ subject }) => subject)
  expect(await find({ isUnread: true })).toEqual(['tagged', 'three', 'two'])
  expect(await find({ without: [{ isUnread: true }] })).toEqual(['opened'])
  expect(await find({ isUnread: true, without: [{ tag: 'wanted' }] })).toEqual(['three', 'two'])
  expect(await count.query({ isUnread: true, subject: 't' })).toEqual({ count: 3, isExact: true })

  const { setAll } = owner.call.inbox.readMarks
  expect(await setAll.mutate({ isUnread: true, tag: 'wanted' })).toEqual({ unread: 2 })
  expect(await find({ isUnread: true })).toEqual(['three', 'two'])
  expect(await setAll.mutate({ isUnread: true, without: [{ subject: 'three' }] })).toEqual({ unread: 1 })
  expect(await removeAll.mutate({ isUnread: true })).toEqual({ deleted: 1 })
  expect(await find({})).toEqual(['tagged', 'two', 'opened'])
  await member.call.inbox.readMarks.set.mutate({ ids: ids.slice(0, 2), isRead: false })
  expect(await find({ isUnread: true })).toEqual(['two', 'opened'])
  expect(await setAll.mutate({ isUnread: true })).toEqual({ unread: 0 })
  expect(await find({ isUnread: true })).toEqual([])
})

test('deleted messages are no longer counted, read or not', async () => {
  const { owner, ids, mailboxId } = await newInbox('one', 'two', 'three')
  await owner.call.inbox.readMarks.set.mutate({ ids: ids.slice(0, 1), isRead: true })
  await owner.call.inbox.messages.removeMany.mutate({ ids: ids.slice(0, 2) })
  expect(await owner.call.inbox.readMarks.counts.query()).toMatchObject({
    total: 1,
    unread: 1,
    mailboxes: [{ id: mailboxId, total: 1, unread: 1 }],
  })
  await owner.call.inbox.mailboxes.remove.mutate({ id: mailboxId })
  expect(await owner.call.inbox.readMarks.counts.query()).toEqual({ total: 0, unread: 0, mailboxes: [] })
})

test('the stream reports marks of others since the list was loaded', async () => {
  const { owner, member, ids, send } = await newInbox('one', 'two')
  const { cursor, marks } = await owner.call.inbox.messages.list.query()
  await member.call.inbox.readMarks.set.mutate({ ids: [ids[0]!], isRead: true })
  const stream = follow(owner, { after: cursor, marks })
  expect((await stream.next()).value).toMatchObject({
    marks: { changed: [{ id: ids[0], isRead: true }], readThrough: null, isCut: false },
  })
  await member.call.inbox.readMarks.setAll.mutate()
  expect((await stream.next()).value).toMatchObject({ marks: { readThrough: cursor, changed: [] } })
  await send('three')
  expect((await stream.next()).value).toMatchObject({ message: { subject: 'three', isRead: false } })
  await stream.return(undefined)
  // A page of an older version does not ask for marks.
  const old = follow(owner, { after: cursor })
  expect((await old.next()).value).toMatchObject({ message: { subject: 'three' } })
  await old.return(undefined)
})

test('a deleted message says so to its own team only', async () => {
  const { owner, member, ids } = await newInbox('one', 'two')
  const stranger = await newInbox()
  await owner.call.inbox.messages.remove.mutate({ id: ids[0]! })
  const get = (who: Person, id: string) => refusal(who.call.inbox.messages.get.query({ id }))
  expect(await get(member, ids[0]!)).toMatchObject({ status: 404, code: 'message_deleted' })
  for (const id of ids) expect(await get(stranger.owner, id)).toMatchObject({ status: 404, code: 'message_not_found' })
  expect(await get(member, crypto.randomUUID())).toMatchObject({ status: 404, code: 'message_not_found' })
})

test('messages of an earlier version count as read, and mail that arrives after the upgrade does not', async () => {
  const dataDir = temporaryFolder()
  const folder = join(import.meta.dirname, '../src/store/migrations')
  const earlier = readdirSync(folder)
    .sort()
    .filter((name) => name < '009')
  const old = new DatabaseSync(join(dataDir, 'mailhatch.db'))
  for (const name of earlier) old.exec(readFileSync(join(folder, name), 'utf8'))
  old.exec(`
    pragma user_version = ${earlier.length};
    insert into teams (id, name, plan, last_position, message_count, created_at) values ('t', 'Team', 'pro', 1, 1, 1);
    insert into mailboxes (id, team_id, name, domain, created_at, updated_at) values ('b', 't', 'qa', 'x.test', 1, 1);
    insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, domain, sender, recipient, subject,
                          received_at, stored_at, attachment_count, subject_folded, sender_folded, recipient_folded,
                          mailbox_with_tag_folded)
    values ('t', 1, 'm', 'b', 'qa', 'x.test', '', 'qa@x.test', 'Old', 5, 5, 0, '', '', '', '')`)
  old.close()
  const store = openSqliteStore(dataDir)
  try {
    const view = { teamId: 't', oldestReceivedAt: 0 }
    expect(await store.countUnread(view)).toBe(0)
    expect(await store.readAmong('t', [1])).toEqual([1])
    expect(await store.countInMailbox({ teamId: 't', id: 'b' }, { since: 0, limit: 10 })).toEqual({
      total: 1,
      unread: 0,
    })
    await store.markMessages('t', [1], false)
    expect(await store.countUnread(view)).toBe(1)
  } finally {
    await store.close()
  }
})
