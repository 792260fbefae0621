import { once } from 'node:events'
import { join } from 'node:path'
import { Mailhatch, type Rejection } from '@mailhatch/sdk'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type * as SqlStore from '../src/store/sql-store.ts'
import type { Metadata } from '../src/worker/metadata.ts'
import { ADMIN_TOKEN } from './support/admin-subject.ts'
import { ask } from './support/ask.ts'
import { API_KEY, spawnServer, startChild, type ChildServer } from './support/child-server.ts'
import { freePort } from './support/free-port.ts'
import { withDatabase } from './support/journey-database.ts'
import { makeTeam } from './support/made-team.ts'
import { preload } from './support/preload.ts'
import { startServer, temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'
import { isAccepted, SmtpClient } from './support/smtp-client.ts'
import { listEverything, unprocessedMail } from './support/stored-mail.ts'

/** How the store of the server under test treats a message. A real store otherwise. */
const trap = { subject: null as string | null, error: () => new Error('A fault in intake') }

vi.mock('../src/store/sql-store.ts', async (importOriginal) => {
  const original = await importOriginal<typeof SqlStore>()
  return {
    ...original,
    createSqlStore(...given: Parameters<typeof original.createSqlStore>) {
      const store = original.createSqlStore(...given)
      const spring = ({ subject }: { subject: string }) => {
        if (subject === trap.subject) throw trap.error()
      }
      const addMessage: typeof store.addMessage = async (mailbox, message, event) => {
        spring(message)
        return store.addMessage(mailbox, message, event)
      }
      const addFirstMessage: typeof store.addFirstMessage = async (mailbox, teamDomain, message, event) => {
        spring(message)
        return store.addFirstMessage(mailbox, teamDomain, message, event)
      }
      return { ...store, addMessage, addFirstMessage }
    },
  }
})

afterEach(() => {
  trap.subject = null
  trap.error = () => new Error('A fault in intake')
})

/** Retries come a minute apart after the fifth failure. */
const SOON = { timeout: 280_000, interval: 100 }
const DEADLY = 'deadly mail'
/** A death counts only if other mail was accepted since the one before, so on a busy machine there may be more than three. */
const DEATHS_MAX = 9
const PRELOAD = preload('support/deadly-mail.ts')

describe('a mail that makes intake throw', () => {
  test('is set aside after three attempts with a reason, listed everywhere, and retried by an operator', async () => {
    const server = await startServer({ ADMIN_TOKEN })
    const admin = <Answer>(path: string, method?: 'POST') =>
      ask<Answer>(`${server.workerUrl}${path}`, { key: ADMIN_TOKEN, method })
    const list = async () => (await admin<{ messages: Metadata[] }>('/admin/set-aside')).body.messages
    trap.subject = 'poison'
    await server.sendMail({ to: 'qa+poison@mailhatch.test', subject: 'poison', text: 'Hello' })
    await keepSending(server, async () => (await list()).length > 0)

    const [mail] = await list()
    expect(mail).toMatchObject({
      status: 'unprocessed',
      ownFailures: 3,
      lastStatus: 500,
      setAside: { reason: expect.stringMatching(/^Set aside after 3 failures: .*500.*\.$/) },
    })
    const path = `/admin/inboxes/qa/messages/${mail!.id}`
    // Whether it is reported may change meanwhile.
    const { at, reason } = mail!.setAside!
    expect((await admin<Metadata>(`${path}?domain=mailhatch.test`)).body.setAside).toMatchObject({ at, reason })
    const rejections = async () =>
      (await ask<{ data: Rejection[] }>(`${server.url}/v1/rejections`, { key: server.apiKey })).body.data
    const listed = { to: 'qa+poison@mailhatch.test', code: 'set_aside', reason }
    await expect.poll(rejections, SOON).toMatchObject([listed])

    // An operator can retry it, and its failures are counted from zero: one failure does not set it aside again.
    const retry = () => admin<{ webhookStatus?: number }>(`${path}/webhook?domain=mailhatch.test`, 'POST')
    expect(await retry()).toMatchObject({ status: 502, body: { webhookStatus: 500 } })
    expect(await list()).toEqual([])
    trap.subject = null
    await vi.waitUntil(async () => [200, 409].includes((await retry()).status), SOON)
    expect(await server.sdk.messages.get(mail!.id)).toMatchObject({ subject: 'poison' })
  })

  test.each([
    ['a full disk', () => Object.assign(new Error('no room'), { code: 'ENOSPC' })],
    ['an unavailable database', () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' })],
  ])('%s is not blamed on the mail, although other mail is accepted', async (_name, error) => {
    const server = await startServer({ ADMIN_TOKEN })
    trap.subject = 'unlucky'
    trap.error = error
    await server.sendMail({ to: 'qa+unlucky@mailhatch.test', subject: 'unlucky', text: 'Hello' })
    const read = () => unprocessedMail(join(server.dataDir, 'inbox.db')).find(({ tag }) => tag === 'unlucky')!
    await keepSending(server, async () => read().attempts >= 4)
    expect(read()).toMatchObject({ ownFailures: 0, setAside: null })
    trap.subject = null
    await keepSending(server, async () => unprocessedMail(join(server.dataDir, 'inbox.db')).length === 0)
  })
})

describe('a mail that ends the process', () => {
  test('of the all-in-one program does so at most three times; other mail is accepted', async () => {
    const dataDir = temporaryFolder()
    const environment = await withDatabase({ DATA_DIR: dataDir, ADMIN_TOKEN })
    const inbox = join(dataDir, 'inbox.db')
    const start = () => spawnServer({ environment, nodeArguments: PRELOAD })
    let server = start()
    await server.ready
    await send(server, 'qa+before@mailhatch.test', 'harmless')
    // It may crash before its 250 is read.
    await send(server, 'qa+deadly@mailhatch.test', DEADLY).catch(() => {})
    let deaths = 0
    const setAside = wasSetAside(inbox)
    for (;;) {
      const end = await Promise.race([died(server), setAside])
      if (end === 'set aside') break
      deaths++
      expect(deaths).toBeLessThanOrEqual(3)
      server = start()
      await server.ready
      // A sender meanwhile. The process may crash during this, and then nothing was acknowledged.
      await send(server, `qa+after${deaths}@mailhatch.test`, 'harmless').catch(() => {})
    }
    // Control: the mail is deadly.
    expect(deaths).toBe(3)
    expect(unprocessedMail(inbox)).toMatchObject([{ tag: 'deadly', ownFailures: 3, status: 'unprocessed' }])
    const sdk = new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })
    await send(server, 'qa+last@mailhatch.test', 'harmless')
    await sdk.messages.waitFor({ tag: 'last' })
    const { data } = await sdk.messages.list({ mailbox: 'qa' })
    expect(data.map(({ tag }) => tag)).toEqual(expect.arrayContaining(['before', 'after2', 'last']))
    expect(data.some(({ tag }) => tag === 'deadly')).toBe(false)
  })

  test('of a separate API is set aside after three failures; other mail is accepted, and the API receives a report', async () => {
    const port = await freePort()
    const apiSettings = { DATA_DIR: temporaryFolder(), PORT: String(port), RATE_LIMIT: 'off' }
    const url = `http://127.0.0.1:${port}`
    const key = await makeTeam(apiSettings, { name: 'QA', domain: 'qa.test', plan: 'enterprise' })
    const dataDir = temporaryFolder()
    const inbox = join(dataDir, 'inbox.db')
    const worker = await startChild({
      program: 'worker',
      environment: {
        DATA_DIR: dataDir,
        WEBHOOK_URL: `${url}/webhooks/inbox`,
        WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
      },
    })
    const startApi = () => startChild({ program: 'api', environment: apiSettings, nodeArguments: PRELOAD })
    let api = await startApi()
    await send(worker, 'box+deadly@qa.test', DEADLY)
    const sent: string[] = []
    let deaths = 0
    const setAside = wasSetAside(inbox)
    for (;;) {
      const tag = `other${sent.push(`other${sent.length}`) - 1}`
      await send(worker, `box+${tag}@qa.test`, 'harmless')
      const end = await Promise.race([died(api), setAside, wasTaken(inbox, tag)])
      if (end === 'set aside') break
      if (end !== 'died') continue
      deaths++
      expect(deaths).toBeLessThanOrEqual(DEATHS_MAX)
      api = await startApi()
    }
    // The API may have crashed at that moment.
    sent.push('end')
    await send(worker, 'box+end@qa.test', 'harmless')
    if ((await Promise.race([died(api), wasTaken(inbox, 'end')])) === 'died') {
      deaths++
      await startApi()
    }
    // Control: the mail is deadly.
    expect(deaths).toBeGreaterThanOrEqual(3)
    expect(unprocessedMail(inbox).find(({ tag }) => tag === 'deadly')).toMatchObject({ ownFailures: 3 })
    const sdk = new Mailhatch({ url, apiKey: key })
    await expect
      .poll(async () => (await listEverything(sdk)).map(({ tag }) => tag), SOON)
      .toEqual(expect.arrayContaining(sent))
    await expect
      .poll(async () => await sdk.rejections.list(), SOON)
      .toMatchObject([{ to: 'box+deadly@qa.test', code: 'set_aside' }])
  })
})

/** Other mail arrives and is accepted, one after another, until a condition is true. */
async function keepSending(server: Awaited<ReturnType<typeof startServer>>, isSo: () => Promise<boolean>) {
  for (let number = 0; !(await isSo()); number++) {
    const tag = `other${number}`
    await server.sendMail({ to: `qa+${tag}@mailhatch.test`, subject: 'harmless', text: 'Hello' })
    await server.sdk.messages.waitFor({ tag })
  }
}

async function send({ smtpPort }: ChildServer, to: string, subject: string): Promise<void> {
  const client = await SmtpClient.connect(smtpPort)
  const reply = await client.send({ to, raw: Buffer.from(`Subject: ${subject}\r\n\r\nhello\r\n`) })
  client.close()
  if (!isAccepted(reply)) throw new Error(reply)
}

async function died({ process: child }: ChildServer): Promise<'died'> {
  if (child.signalCode === null) await once(child, 'exit')
  return 'died'
}

async function wasSetAside(inbox: string): Promise<'set aside'> {
  await vi.waitUntil(() => unprocessedMail(inbox).some(({ setAside }) => setAside !== null), SOON)
  return 'set aside'
}

async function wasTaken(inbox: string, tag: string): Promise<'taken'> {
  await vi.waitUntil(() => unprocessedMail(inbox).every((mail) => mail.tag !== tag), SOON)
  return 'taken'
}
