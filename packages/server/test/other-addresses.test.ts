import { randomUUID } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { CAUGHT_DOMAINS_MAX } from '../src/manage/caught-domains.ts'
import type { Log } from '../src/observe/log.ts'
import { readConfig } from '../src/program/config.ts'
import { startServe } from '../src/program/node.ts'
import { openBrowser } from './support/browser.ts'
import { startFileServer } from './support/file-server.ts'
import { callerOf, openPeople, refusal } from './support/people.ts'
import { temporaryFolder } from './support/server.ts'

const ROOT = 'root.test'

const server = await startFileServer({ INBOX_ROOT_DOMAIN: ROOT })
const { url } = server
const people = await openPeople(server)
const operator = await people.operator()
const { others, caught, messages } = operator.call.inbox
const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
afterAll(() => transport.close())

type Mail = { to: string; subject: string; html?: string; attachments?: { filename: string; content: string }[] }

async function send(mail: Mail): Promise<void> {
  await transport.sendMail({ from: 'App <app@shop.example>', text: 'Your code is 482913.', ...mail })
}

async function mailsFor(domain: string) {
  return (await others.list.query({ limit: 100 })).messages.filter((mail) => mail.domain === domain)
}

const subjectsFor = async (domain: string) => (await mailsFor(domain)).map(({ subject }) => subject)

async function received(caller: Pick<typeof operator, 'call'> = operator): Promise<string[]> {
  return (await caller.call.inbox.messages.list.query({})).messages.map(({ subject }) => subject)
}

test('mail for a domain without a team is counted, listed newest first and read like any other', async () => {
  await send({ to: 'anna@gmail.com', subject: 'First' })
  await expect.poll(() => subjectsFor('gmail.com')).toEqual(['First'])
  await send({
    to: 'Anna+signup@gmail.com',
    subject: 'Second',
    html: '<p>Your code is <b>482913</b></p><script>steal()</script>',
    attachments: [{ filename: 'terms.txt', content: 'Be nice.' }],
  })
  await expect.poll(() => subjectsFor('gmail.com')).toEqual(['Second', 'First'])
  expect(await others.summary.query()).toMatchObject({ count: 2, domains: [{ domain: 'gmail.com', count: 2 }] })
  const newest = await others.list.query({ limit: 1 })
  expect([newest.messages[0]!.subject, newest.hasMore]).toEqual(['Second', true])
  const older = await others.list.query({ before: newest.messages[0]!.id, limit: 1 })
  expect([older.messages[0]!.subject, older.hasMore]).toEqual(['First', false])

  const { id } = newest.messages[0]!
  expect(newest.messages[0]).toMatchObject({ fromName: 'App', tag: 'signup', mailbox: 'anna', attachmentCount: 1 })
  const message = await others.get.query({ id })
  expect(message).toMatchObject({ to: 'Anna+signup@gmail.com', fromName: 'App', domain: 'gmail.com' })
  expect(message.codes[0]).toMatchObject({ value: '482913' })
  expect(message.attachments).toMatchObject([{ filename: 'terms.txt' }])
  const nothing = randomUUID()
  expect(await others.previews.query({ ids: [id, nothing] })).toEqual([
    { id, text: 'Your code is 482913.', code: '482913' },
  ])

  // The same isolated page, once, and the same downloads.
  const { path } = await others.view.query({ id })
  const page = await fetch(`${url}${path}`)
  expect(page.headers.get('content-security-policy')).toContain('sandbox')
  const html = await page.text()
  expect(html).toContain('482913')
  expect(html).not.toContain('steal()')
  expect((await fetch(`${url}${path}`)).status).toBe(404)
  const raw = await fetch(`${url}/app/others/${id}/raw`, { headers: operator.headers })
  expect([raw.status, await raw.text()]).toEqual([200, expect.stringContaining('Subject: Second')])
  const attachment = await fetch(`${url}/app/others/${id}/attachments/0`, { headers: operator.headers })
  expect([attachment.status, (await attachment.text()).trim()]).toEqual([200, 'Be nice.'])
  // It is a message of no team.
  expect(await refusal(messages.get.query({ id }))).toMatchObject({ status: 404 })
  expect((await fetch(`${url}/app/messages/${id}/raw`, { headers: operator.headers })).status).toBe(404)
})

test('a large mail is listed by its headers and read whole', async () => {
  const long = 'x'.repeat(300 * 1024)
  await send({ to: 'anna@large.example', subject: 'Large', attachments: [{ filename: 'long.txt', content: long }] })
  await expect.poll(() => mailsFor('large.example')).toMatchObject([{ subject: 'Large', attachmentCount: 0 }])
  const [mail] = await mailsFor('large.example')
  const message = await others.get.query({ id: mail!.id })
  expect(message).toMatchObject({ textContent: expect.stringContaining('482913'), attachmentCount: 1 })
})

test('a caught domain: mail that is there moves in, later mail arrives, and an undo ends that', async () => {
  await send({ to: 'bob@corp.example', subject: 'Before' })
  await send({ to: 'bob@other.example', subject: 'Elsewhere' })
  await expect.poll(() => subjectsFor('corp.example')).toEqual(['Before'])
  await expect.poll(() => subjectsFor('other.example')).toEqual(['Elsewhere'])
  const [before] = await mailsFor('corp.example')
  const done = { domain: 'corp.example', moved: 1, left: 0, isDone: true }
  expect(await caught.add.mutate({ domain: ' Corp.Example ' })).toEqual(done)
  expect(await received()).toEqual(['Before'])
  expect((await messages.get.query({ id: before!.id })).to).toBe('bob@corp.example')
  expect(await refusal(others.get.query({ id: before!.id }))).toMatchObject({ status: 404 })
  expect(await subjectsFor('corp.example')).toEqual([])
  expect(await subjectsFor('other.example')).toEqual(['Elsewhere'])

  await send({ to: 'carol@corp.example', subject: 'After' })
  await expect.poll(() => received()).toEqual(['After', 'Before'])
  expect(await caught.add.mutate({ domain: 'corp.example' })).toMatchObject({ moved: 0, left: 0 })
  expect((await caught.list.query()).domains.map(({ domain }) => domain)).toEqual(['corp.example'])

  expect(await caught.remove.mutate({ domain: 'CORP.example' })).toEqual({ domain: 'corp.example' })
  expect(await refusal(caught.remove.mutate({ domain: 'corp.example' }))).toMatchObject({ status: 404 })
  await send({ to: 'carol@corp.example', subject: 'Later' })
  await expect.poll(() => subjectsFor('corp.example')).toEqual(['Later'])
  expect(await received()).toEqual(['After', 'Before'])
})

test('mail that arrives while its domain is caught is not left behind', async () => {
  const subjects = Array.from({ length: 30 }, (_, number) => `Mail ${number}`)
  const sent = Promise.all(subjects.map((subject) => send({ to: 'dan@busy.example', subject })))
  await expect.poll(() => subjectsFor('busy.example')).not.toEqual([])
  await caught.add.mutate({ domain: 'busy.example' })
  await sent
  const ofBusy = async () => (await received()).filter((subject) => subjects.includes(subject))
  await expect.poll(async () => new Set(await ofBusy())).toEqual(new Set(subjects))
  expect(await ofBusy()).toHaveLength(subjects.length)
  expect(await subjectsFor('busy.example')).toEqual([])
})

test('a team’s own domain wins over a caught one, and cannot be caught', async () => {
  await caught.add.mutate({ domain: 'owned.example' })
  const { owner } = await people.newTeam()
  await owner.call.inbox.settings.update.mutate({ domain: 'owned.example' })
  await send({ to: 'dora@owned.example', subject: 'For the owner' })
  await expect.poll(() => received(owner)).toEqual(['For the owner'])
  expect(await received()).not.toContain('For the owner')
  expect(await refusal(caught.add.mutate({ domain: 'owned.example' }))).toMatchObject({ code: 'domain_taken' })
})

test('refused mail does not move to a team that has taken its name since', async () => {
  await send({ to: `hers@${ROOT}`, subject: 'Sent before she came' })
  await send({ to: `nobodys@${ROOT}`, subject: 'Sent to an unknown name' })
  await expect.poll(() => subjectsFor(ROOT)).toHaveLength(2)
  const { owner } = await people.newTeam()
  await owner.call.inbox.mailboxes.create.mutate({ name: 'hers' })
  expect(await caught.add.mutate({ domain: ROOT })).toMatchObject({ moved: 1, left: 1, isDone: true })
  expect(await received(owner)).toEqual([])
  expect(await subjectsFor(ROOT)).toEqual(['Sent before she came'])
  expect(await received()).toContain('Sent to an unknown name')
})

test('only the operator sees and catches, and only what belongs to no team', async () => {
  const { owner } = await people.newTeam()
  const [mail] = await mailsFor('gmail.com')
  const { id } = mail!
  for (const { call, headers } of [owner, await people.person()]) {
    const refused = await Promise.all([
      refusal(call.inbox.others.summary.query()),
      refusal(call.inbox.others.list.query({})),
      refusal(call.inbox.others.get.query({ id })),
      refusal(call.inbox.others.previews.query({ ids: [id] })),
      refusal(call.inbox.others.view.query({ id })),
      refusal(call.inbox.caught.list.query()),
      refusal(call.inbox.caught.add.mutate({ domain: 'gmail.com' })),
      refusal(call.inbox.caught.remove.mutate({ domain: 'gmail.com' })),
    ])
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    expect((await fetch(`${url}/app/others/${id}/raw`, { headers })).status).toBe(403)
    expect((await fetch(`${url}/app/others/${id}/attachments/0`, { headers })).status).toBe(403)
  }
  expect((await fetch(`${url}/app/others/${id}/raw`)).status).toBe(401)
  await send({ to: 'eve@mailhatch.test', subject: 'A message' })
  await expect.poll(() => received()).toContain('A message')
  const own = (await messages.list.query({ subject: 'A message' })).messages[0]!
  for (const odd of [own.id, '..', '%2e%2e', '../../processed', '', `${id}/../${id}`]) {
    expect(await refusal(others.get.query({ id: odd }))).toMatchObject({ status: 404 })
  }
  for (const domain of ['', 'a b', 'anna@gmail.com', '*.com', 'x'.repeat(256)]) {
    expect(await refusal(caught.add.mutate({ domain }))).toMatchObject({ status: 400 })
  }
})

test('the list of caught domains has a limit', async () => {
  const teamId = operator.team.id
  for (const { domain } of (await caught.list.query()).domains) await caught.remove.mutate({ domain })
  const before = Array.from({ length: CAUGHT_DOMAINS_MAX - 1 }, (_, number) => `d${number}.example`)
  await Promise.all(
    before.map((domain) => people.store.addCaughtDomain({ teamId, domain, caughtAt: 1 }, CAUGHT_DOMAINS_MAX)),
  )
  await caught.add.mutate({ domain: 'last.example' })
  expect(await refusal(caught.add.mutate({ domain: 'more.example' }))).toMatchObject({ code: 'domain_limit' })
  expect((await caught.list.query()).domains).toHaveLength(CAUGHT_DOMAINS_MAX)
  await caught.remove.mutate({ domain: 'd1.example' })
  await caught.add.mutate({ domain: 'more.example' })
  expect((await caught.list.query()).domains[0]).toMatchObject({ domain: 'more.example' })
})

test('a log line says where such mail is, and after a restart it is still there', async () => {
  const folder = temporaryFolder()
  const settings = { DATA_DIR: folder, PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', DISK_FREE_MIN: '0' }
  const start = async () => {
    const log = { debug: () => {}, info: vi.fn<Log['info']>(), warn: vi.fn<Log['warn']>(), error: () => {} }
    const running = await startServe(readConfig('serve', settings), log)
    onTestFinished(() => running.close())
    return { running, log }
  }
  const first = await start()
  const sender = createTransport({ host: '127.0.0.1', port: first.running.smtpPort! })
  await sender.sendMail({ from: 'app@shop.example', to: 'anna@gmail.com', subject: 'Kept', text: 'Hello' })
  sender.close()
  const facts = expect.objectContaining({ to: 'anna@gmail.com', code: 'inbox_domain_unknown' })
  const notice = expect.stringMatching(/"Other addresses".*--catch-all/)
  await vi.waitFor(() => expect(first.log.info).toHaveBeenCalledWith(facts, notice))
  expect(first.log.warn).not.toHaveBeenCalled()
  await first.running.close()

  const { running } = await start()
  const address = `http://127.0.0.1:${running.apiPort}`
  const browser = openBrowser(address)
  expect((await browser.post('/auth/link', { token: await running.createSignInToken!() })).status).toBe(200)
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const { others: again } = callerOf(address, { cookie, origin: address }).inbox
  await expect.poll(() => again.summary.query()).toMatchObject({ count: 1 })
  expect((await again.list.query({})).messages).toMatchObject([{ subject: 'Kept' }])
})
