import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { announcement, post } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { makeTeamKey } from './support/made-team.ts'
import { HttpError, publishedClient, refusalOf, type PublishedClient } from './support/published-client.ts'
import { startServer, temporaryFolder } from './support/server.ts'
import { objectKeys } from './support/stored-mail.ts'

const ROUNDS = 40
/** One in four hundred met the moment of the bug. */
const MAILS_EACH = 300

const server = await startFileServer()
const { url, store, newMailbox } = server
const client = publishedClient({ baseUrl: url, apiKey: server.apiKey })
const { name: teamName } = (await server.me()).team

/** The refusal of a request, or null if it succeeded. */
const refusalIn = async (request: Promise<unknown>): Promise<string | null> =>
  request.then(
    () => null,
    (error: unknown) => {
      if (error instanceof HttpError) return `${error.response.status} ${error.message}`
      throw error
    },
  )

const times = <Result>(count: number, run: () => Promise<Result>) => Promise.all(Array.from({ length: count }, run))

describe('while a mailbox is renamed', () => {
  test('mail that arrives has the mailboxWithTag of its mailbox', async () => {
    const { id, ...made } = await client.createMailbox(newMailbox())
    let { name } = made
    let arrived = 0
    for (let round = 1; round <= ROUNDS; round += 1) {
      const next = newMailbox()
      const arrive = () => times(5, () => post(url, announcement({ mailbox: name, tag: 'tag' })))
      await Promise.all([arrive(), client.renameMailbox(id, next), arrive()])
      const { data } = await client.list({ mailbox: next, limit: 200 })
      // Mail after the rename is in another mailbox, so a round may find none here.
      expect(data.filter(({ mailboxWithTag }) => mailboxWithTag !== `${next}+tag`)).toEqual([])
      arrived += data.length
      await client.deleteMessages({ mailbox: next })
      name = next
    }
    expect(arrived).toBeGreaterThan(0)
  })
})

describe('while a mailbox is deleted', () => {
  test('mail to a domain of the team is never refused', async () => {
    const mailbox = newMailbox()
    const refusals = new Set<string>()
    let isArriving = true
    async function arrive(): Promise<void> {
      for (let round = 1; round <= MAILS_EACH; round += 1) {
        const { status, body } = await post(url, announcement({ mailbox }))
        if (status !== 200) refusals.add(`${status} ${body.error}`)
      }
    }
    async function remove(): Promise<void> {
      while (isArriving)
        for (const { id } of await client.listMailboxes({ mailbox })) await refusalIn(client.deleteMailbox(id))
    }
    const removing = times(2, remove)
    await times(6, arrive).finally(() => (isArriving = false))
    await removing
    expect(Array.from(refusals)).toEqual([])
  })

  test('a team that creates and deletes one name many times at once is never refused', async () => {
    const name = newMailbox()
    const refusals = new Set<string | null>()
    async function takeAndLeave(): Promise<void> {
      const request = client.createMailbox(name)
      refusals.add(await refusalIn(request))
      const made = await request.catch(() => null)
      if (made) await refusalIn(client.deleteMailbox(made.id))
    }
    for (let round = 1; round <= ROUNDS * 5; round += 1) await times(6, takeAndLeave)
    expect(Array.from(refusals)).toEqual([null])
  })

  test('a wait held by its key ends with 403, like every other request of the key', async () => {
    const { mailbox, id: messageId } = await store({ mailbox: newMailbox() })
    const { mailboxId } = await client.get(messageId)
    const key = await makeTeamKey({ DATA_DIR: server.dataDir }, teamName, { mailbox })
    const held = holdWait(publishedClient({ baseUrl: url, apiKey: key }))
    await client.deleteMailbox(mailboxId)
    expect((await refusalOf(held)).status).toBe(403)
  })
})

test('a deleted mailbox is not created again when its mail is announced again', async () => {
  const sent = await store({ mailbox: newMailbox() })
  const { mailboxId } = await client.get(sent.id)
  await client.deleteMailbox(mailboxId)
  expect((await post(url, sent)).body.status).toBe('duplicate')
  expect(await client.listMailboxes({ mailbox: sent.mailbox })).toEqual([])
})

test('a held wait ends with 401 when its key is rotated', async () => {
  const key = await makeTeamKey({ DATA_DIR: server.dataDir }, teamName)
  const dying = publishedClient({ baseUrl: url, apiKey: key })
  const mailbox = newMailbox()
  const held = holdWait(dying, mailbox)
  await dying.rotateKey()
  await store({ mailbox, subject: 'after the rotation' })
  expect((await refusalOf(held)).status).toBe(401)
})

describe.each(['embedded', 'folder'])('with mail in the %s bucket', (kind) => {
  async function start() {
    const folder = join(temporaryFolder(), 'objects')
    const running = await startServer(kind === 'folder' ? { INBOX_STORAGE: `file:${folder}` } : {})
    return { ...running, folder, client: publishedClient({ baseUrl: running.url, apiKey: running.apiKey }) }
  }

  test('a message that is deleted on arrival leaves nothing behind', async () => {
    const { client, sendMail, folder, dataDir } = await start()
    for (let round = 1; round <= ROUNDS; round += 1) {
      const mailbox = `box-${round}`
      const waiting = client.waitFor(`mailbox=${mailbox}&wait=10`)
      await sendMail({ to: `${mailbox}@mailhatch.test`, text: 'Hello' })
      const { id } = await waiting
      await client.deleteMessage(id)
    }
    const left = () => (kind === 'folder' ? filesIn(folder) : objectKeys(dataDir))
    // The worker may still be processing what it announced.
    await expect.poll(left).toEqual([])
  })

  test('a HEAD request for raw mail leaves no file open', async () => {
    const { client, sendMail } = await start()
    await sendMail({ to: 'box@mailhatch.test', text: 'Hello '.repeat(50_000) })
    const { id } = await client.waitFor({ mailbox: 'box' })
    const isOpen = () => readdirSync('/proc/self/fd').length
    const ask = async () => expect((await client.send('HEAD', `/v1/messages/${id}/raw`)).status).toBe(200)
    await ask()
    const before = isOpen()
    for (let round = 1; round <= 100; round += 1) await ask()
    // Connections come and go, but not hundreds of them.
    expect(isOpen() - before).toBeLessThan(50)
  })
})

/** A wait that only ends when its key is invalid. */
function holdWait(client: PublishedClient, mailbox?: string): Promise<Response> {
  const which = mailbox === undefined ? 'subject=never' : `mailbox=${mailbox}`
  return client.send('GET', `/v1/messages/latest?${which}&wait=5`)
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}
