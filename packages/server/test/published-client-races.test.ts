import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { post } from './support/announce.ts'
import { startFileServer } from './support/file-server.ts'
import { makeTeamKey } from './support/made-team.ts'
import { publishedClient, refusalOf, type PublishedClient } from './support/published-client.ts'
import { describeMailboxRaces } from './support/mailbox-races.ts'
import { startServer, temporaryFolder } from './support/server.ts'
import { objectKeys } from './support/stored-mail.ts'

const ROUNDS = 6

const server = await startFileServer()
const { url, store, newMailbox } = server
const client = publishedClient({ baseUrl: url, apiKey: server.apiKey })
const { name: teamName } = (await server.me()).team

// More rounds are in published-client-races.long.test.ts.
describeMailboxRaces(server, { rounds: ROUNDS, mailsEach: 30 })

describe('while a mailbox is deleted', () => {
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
    for (let round = 1; round <= 60; round += 1) await ask()
    // Connections come and go, but not dozens of them.
    expect(isOpen() - before).toBeLessThan(30)
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
