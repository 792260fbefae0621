import { beforeAll, describe, expect, test } from 'vitest'
import { announcement, post } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { freePort } from './support/free-port.ts'
import { publishedClient, refusalOf, refusalsOf, type Mailbox } from './support/published-client.ts'
import { SmtpClient } from './support/smtp-client.ts'

const ROOT = 'in.mailhatch.test'
const FORBIDDEN = { status: 403, error: 'Forbidden', code: 'forbidden' }
const TAKEN = { status: 409, error: 'Mailbox name already taken for this domain.', code: 'mailbox_taken' }
const USED = { status: 409, error: 'Mailbox name already used in this team.', code: 'mailbox_taken' }
const RESERVED = { status: 400, error: 'Mailbox name is reserved.', code: 'mailbox_reserved' }
const NAME_RULE = 'Mailbox names may contain letters, numbers, dot, dash, underscore.'
const RAW = Buffer.from('From: a@shop.example\r\nSubject: Kept\r\n\r\nBody\r\n')

const smtpPort = await freePort()
const server = await startFileServer({ BOOTSTRAP_DOMAIN: '', SMTP_PORT: String(smtpPort) })
const { url, store, newMailbox } = server
const client = publishedClient({ baseUrl: url, apiKey: server.apiKey })
const { name: teamName } = (await server.me()).team

type CreatedKey = { key: string }
await server.command('teams', 'create', 'Neighbour', '--plan', 'enterprise')
const neighbourKey = await server.command<CreatedKey>('keys', 'create', '--team', 'Neighbour')
const neighbour = publishedClient({ baseUrl: url, apiKey: neighbourKey.key })

async function boundClient(mailbox: string) {
  const { key } = await server.command<CreatedKey>('keys', 'create', '--team', teamName, '--mailbox', mailbox)
  return publishedClient({ baseUrl: url, apiKey: key })
}

/** Mail that was sent by SMTP, so that it has raw bytes. Resolves to the message's id. */
async function mailTo(mailboxWithTag: string): Promise<string> {
  const smtp = await SmtpClient.connect(smtpPort)
  expect(await smtp.send({ to: `${mailboxWithTag}@${ROOT}`, raw: RAW })).toMatch(/^250 /)
  smtp.close()
  return (await client.waitFor({ to: `${mailboxWithTag}@${ROOT}` })).id
}

const bytesOf = async (response: Promise<Response>) => Buffer.from(await (await response).arrayBuffer())

describe('creating', () => {
  test('returns the complete mailbox, which accepts mail at once', async () => {
    const mailbox = await client.createMailbox('Fresh.Start_1')
    const { name } = mailbox
    expect(mailbox).toEqual({
      id: expect.any(String),
      name: 'fresh.start_1',
      domain: ROOT,
      address: `fresh.start_1@${ROOT}`,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: expect.any(String),
    })
    const { id } = await store({ domain: ROOT, mailbox: name })
    expect((await client.get(id)).mailboxId).toBe(mailbox.id)
  })

  test('responds with 201, also for the same name again, with the same id', async () => {
    const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name: 'twice' }) }
    const first = await client.send('POST', '/v1/mailboxes', json)
    const again = await client.send('POST', '/v1/mailboxes', json)
    expect([first.status, again.status]).toEqual([201, 201])
    expect(await again.json()).toEqual(await first.json())
    expect((await client.createMailbox('TWICE')).name).toBe('twice')
  })

  test('twenty concurrent requests of one team create one mailbox', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => client.createMailbox('crowd')))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(await client.listMailboxes({ mailbox: 'crowd' })).toHaveLength(1)
  })

  test('concurrent requests of two teams for one name give it to one of them', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const name = `contested-${round}`
      const results = await Promise.allSettled([client.createMailbox(name), neighbour.createMailbox(name)])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      const [refused] = results.filter((result) => result.status === 'rejected')
      expect(await refusalOf(Promise.reject(refused!.reason as Error))).toEqual(TAKEN)
    }
  })

  test('a name of another team is 409', async () => {
    await neighbour.createMailbox('theirs')
    expect(await refusalOf(client.createMailbox('theirs'))).toEqual(TAKEN)
    expect(await refusalOf(client.createMailbox('Theirs'))).toEqual(TAKEN)
    expect(await client.listMailboxes({ mailbox: 'theirs' })).toEqual([])
  })

  test.each(['admin', 'ADMIN', 'Postmaster', 'no-reply', 'qa', 'mailhatch', 'MailHatch', 'PayPal', 'dhl'])(
    'the reserved name %s is refused',
    async (name) => {
      expect(await refusalOf(client.createMailbox(name))).toEqual(RESERVED)
    },
  )

  test.each(['a b', '-a', 'a-', '.a', 'a_', 'a+b', 'a@b', 'a/b', 'ä', 'a\u0000b', 'a\nb'])(
    'the name %j is refused with the rule',
    async (name) => {
      const refusal = await refusalOf(client.createMailbox(name))
      expect(refusal.status).toBe(400)
      expect(JSON.stringify(refusal)).toContain(NAME_RULE)
    },
  )

  test.each([[''], ['x'.repeat(65)], [5], [null], [undefined], [['a']], [{ name: 'a' }], [true]])(
    '%j is not a valid name',
    async (name) => {
      expect((await refusalOf(client.createMailbox(name))).status).toBe(400)
    },
  )

  test('control: one character and 64 characters are valid names', async () => {
    expect((await client.createMailbox('y'.repeat(64))).name).toBe('y'.repeat(64))
    expect((await client.createMailbox('z')).name).toBe('z')
  })
})

describe('listing', () => {
  test('shows the last changed first, each complete, and only those of the team', async () => {
    const [first, second] = [await client.createMailbox(newMailbox()), await client.createMailbox(newMailbox())]
    await client.renameMailbox(first.id, newMailbox())
    const mailboxes = await client.listMailboxes()
    expect(mailboxes[0]?.id).toBe(first.id)
    const sorted = mailboxes.toSorted((a, b) => compare(b.updatedAt, a.updatedAt) || compare(a.name, b.name))
    expect(mailboxes).toEqual(sorted)
    expect(mailboxes.map(({ id }) => id)).toContain(second.id)
    const theirs = (await neighbour.listMailboxes()).map(({ id }) => id)
    expect(mailboxes.filter(({ id }) => theirs.includes(id))).toEqual([])
  })

  test('finds one by its name, in any case; an unknown name gives an empty list', async () => {
    const mailbox = await client.createMailbox(newMailbox())
    expect(await client.listMailboxes({ mailbox: mailbox.name.toUpperCase() })).toEqual([mailbox])
    expect(await client.listMailboxes({ mailbox: 'nobody-made-this' })).toEqual([])
  })
})

describe('renaming', () => {
  const [before, after] = [newMailbox(), newMailbox()]
  let mailbox: Mailbox
  let renamed: Mailbox
  let ids: string[]
  let bound: ReturnType<typeof publishedClient>
  beforeAll(async () => {
    mailbox = await client.createMailbox(before)
    const { id: withEmptyTag } = await store({ domain: ROOT, mailbox: before, mailboxWithTag: `${before}+` })
    ids = [await mailTo(`${before}+Tag`), await mailTo(before), withEmptyTag]
    bound = await boundClient(before)
    renamed = await client.renameMailbox(mailbox.id, after.toUpperCase())
  })

  test('returns the mailbox with its new name', () => {
    const { id, domain, createdAt } = mailbox
    expect(renamed).toEqual({
      id,
      name: after,
      domain,
      address: `${after}@${ROOT}`,
      createdAt,
      updatedAt: expect.any(String),
    })
    expect(renamed.updatedAt >= mailbox.updatedAt).toBe(true)
  })

  test('mailbox and mailboxWithTag of its messages change; to, tag and domain stay', async () => {
    const [tagged, plain, emptyTag] = await Promise.all(ids.map((id) => client.get(id)))
    const same = { mailboxId: mailbox.id, mailbox: after, domain: ROOT }
    const to = (local: string) => `${local}@${ROOT}`
    expect(tagged).toMatchObject({ ...same, mailboxWithTag: `${after}+tag`, tag: 'tag', to: to(`${before}+Tag`) })
    expect(plain).toMatchObject({ ...same, mailboxWithTag: after, tag: null, to: to(before) })
    expect(emptyTag).toMatchObject({ ...same, mailboxWithTag: `${after}+`, tag: null, to: to(`${before}+`) })
  })

  test('filters find them under the new name only', async () => {
    const found = async (query: string) => (await client.list(query)).data.map(({ id }) => id).toSorted()
    expect(await found(`mailbox=${after}`)).toEqual(ids.toSorted())
    expect(await found(`mailbox=${after}%2Btag`)).toEqual([ids[0]])
    expect(await found(`mailbox=${before}`)).toEqual([])
    expect(await found(`q=${after}`)).toEqual(ids.toSorted())
    expect(await found(`q=${after}%2Btag`)).toEqual([ids[0]])
    expect(await found(`to=${before}`)).toEqual(ids.toSorted())
  })

  test('the raw bytes are still available', async () => {
    expect(await bytesOf(client.raw(ids[0]!))).toEqual(RAW)
  })

  test('a bound key moves with it', async () => {
    expect((await bound.list({ mailbox: after })).data).toHaveLength(3)
    expect(await refusalOf(bound.list({ mailbox: before }))).toEqual(FORBIDDEN)
    expect((await bound.listMailboxes()).map(({ name }) => name)).toEqual([after])
    expect(await bytesOf(bound.raw(ids[0]!))).toEqual(RAW)
  })

  test('mail to the old name is refused, and mail to the new one is accepted', async () => {
    const { status, body } = await post(url, announcement({ domain: ROOT, mailbox: before }))
    expect([status, body.error, body.code]).toEqual([404, 'Mailbox not configured', 'mailbox_unknown'])
    const { id } = await store({ domain: ROOT, mailbox: after, tag: 'later' })
    expect((await client.get(id)).mailboxId).toBe(mailbox.id)
  })

  test('a new mailbox with the old name gets none of its mail, and deleting it does not affect that mail', async () => {
    const successor = await client.createMailbox(before)
    expect(successor.id).not.toBe(mailbox.id)
    expect((await client.list({ mailbox: before })).data).toEqual([])
    await client.deleteMailbox(successor.id)
    expect(await bytesOf(client.raw(ids[0]!))).toEqual(RAW)
  })

  test('to its own name is not a conflict', async () => {
    expect((await client.renameMailbox(mailbox.id, after)).name).toBe(after)
  })

  test('to another name of the team is 409', async () => {
    const other = await client.createMailbox(newMailbox())
    expect(await refusalOf(client.renameMailbox(mailbox.id, other.name.toUpperCase()))).toEqual(USED)
  })

  test('to a name of another team on the domain is 409', async () => {
    const { name } = await neighbour.createMailbox(newMailbox())
    expect(await refusalOf(client.renameMailbox(mailbox.id, name))).toEqual(TAKEN)
  })

  test('to a reserved or invalid name is 400', async () => {
    expect(await refusalOf(client.renameMailbox(mailbox.id, 'Billing'))).toEqual(RESERVED)
    expect((await refusalOf(client.renameMailbox(mailbox.id, 'a b'))).status).toBe(400)
    expect((await refusalOf(client.renameMailbox(mailbox.id, undefined))).status).toBe(400)
  })

  test('two mailboxes to one name at once: one gets it, the other is refused', async () => {
    const [one, two] = [await client.createMailbox(newMailbox()), await client.createMailbox(newMailbox())]
    const name = newMailbox()
    const results = await Promise.allSettled([one, two].map(({ id }) => client.renameMailbox(id, name)))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await client.listMailboxes({ mailbox: name })).toHaveLength(1)
  })
})

describe('deleting', () => {
  test('its messages, raw mail and attachments are deleted too, and its key is forbidden from then on', async () => {
    const mailbox = await client.createMailbox(newMailbox())
    const { name } = mailbox
    const id = await mailTo(`${name}+tag`)
    const bound = await boundClient(name)
    expect((await bound.list()).data).toHaveLength(1)
    expect(await client.deleteMailbox(mailbox.id)).toEqual({ id: mailbox.id })
    for (const refusal of await refusalsOf([
      client.get(id),
      client.raw(id),
      client.attachment(id, 0),
      client.deleteMessage(id),
    ]))
      expect(refusal.status).toBe(404)
    expect((await client.list({ mailbox: name })).data).toEqual([])
    expect(await client.latest({ q: name })).toBeNull()
    for (const refusal of await refusalsOf([bound.list(), bound.latest(), bound.get(id), bound.listMailboxes()]))
      expect(refusal).toEqual(FORBIDDEN)
  })

  test('deleting it again is 404, its mail is refused, its name is free', async () => {
    const { id, name } = await client.createMailbox(newMailbox())
    await client.deleteMailbox(id)
    const GONE = { status: 404, error: 'Not found', code: 'not_found' }
    expect(await refusalOf(client.deleteMailbox(id))).toEqual(GONE)
    expect(await refusalOf(client.renameMailbox(id, 'whatever'))).toEqual(GONE)
    expect((await post(url, announcement({ domain: ROOT, mailbox: name }))).body.error).toBe('Mailbox not configured')
    expect((await neighbour.createMailbox(name)).name).toBe(name)
  })

  test('a key bound to it has no access to a new mailbox of the same name', async () => {
    const { id, name } = await client.createMailbox(newMailbox())
    const bound = await boundClient(name)
    await client.deleteMailbox(id)
    await client.createMailbox(name)
    await store({ domain: ROOT, mailbox: name })
    expect(await refusalOf(bound.list())).toEqual(FORBIDDEN)
  })

  test.each(['none', '1', '%00', '00000000-0000-4000-8000-000000000000'])('mailbox %s does not exist', async (id) => {
    expect((await refusalOf(client.deleteMailbox(id))).status).toBe(404)
    expect((await refusalOf(client.renameMailbox(id, 'whatever'))).status).toBe(404)
  })
})

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
