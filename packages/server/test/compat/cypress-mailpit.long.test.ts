import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startServer, temporaryFolder } from '../support/server.ts'

const PACKAGE = 'cypress-mailpit@2.0.0'
const INSTALL_MS_MAX = 5 * 60_000

type Message = { ID: string; Read: boolean; Subject: string }
type List = { messages: Message[]; messages_count: number; unread: number; total: number }
type Command = (...given: unknown[]) => Promise<unknown>

let file: string
beforeAll(async () => {
  const folder = temporaryFolder(afterAll)
  // Without Cypress, which it does not load itself.
  const options = ['--no-save', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--prefix', folder]
  await promisify(execFile)('npm', ['install', ...options, PACKAGE])
  file = join(folder, 'node_modules/cypress-mailpit/dist/src/MailpitCommands.js')
}, INSTALL_MS_MAX)

type CypressRequest = {
  method: string
  url: string
  qs?: Record<string, string>
  body?: object
  auth?: { user: string; pass: string }
}

/** Like `cy.request`: real HTTP, parsed JSON, and an error for any status from 400 on. */
async function request({ method, url, qs = {}, body, auth }: CypressRequest): Promise<{ body: unknown }> {
  const query = new URLSearchParams(qs).toString()
  const response = await fetch(query === '' ? url : `${url}?${query}`, {
    method,
    headers: auth ? { authorization: `Basic ${btoa(`${auth.user}:${auth.pass}`)}` } : {},
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return { body: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text }
}

test.each(['on its port', 'below our API, with a key'])('every command of cypress-mailpit runs %s', async (where) => {
  const { compatUrl, url, apiKey } = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  const isKeyed = where !== 'on its port'
  vi.stubGlobal('Cypress', {
    expose: () => (isKeyed ? `${url}/compat/mailpit` : compatUrl),
    config: () => 10_000,
  })
  vi.stubGlobal('cy', {
    env: async () => (isKeyed ? { MAILPIT_USERNAME: 'ci', MAILPIT_PASSWORD: apiKey } : {}),
    wrap: async (value: unknown) => value,
    wait: sleep,
    request,
  })
  // The published package, whose commands are listed by these two.
  const { MailpitCommands } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    MailpitCommands: (new () => Record<string, Command>) & {
      parentCypressCommands: string[]
      childCypressCommands: string[]
    }
  }
  const commands = new MailpitCommands()
  const left = new Set([...MailpitCommands.parentCypressCommands, ...MailpitCommands.childCypressCommands])
  const call = <Result>(name: string, ...given: unknown[]): Promise<Result> => {
    left.delete(name)
    // As the package's types say.
    return commands[name]!(...given) as Promise<Result>
  }
  const wait = [0, 50, { interval: 50 }]

  const attachments = [{ Filename: 'a.txt', Content: btoa('a'), ContentType: 'text/plain' }]
  const addressed = { to: [{ Email: 'jane@shop.example', Name: 'Jane' }], cc: [], bcc: [], attachments }
  expect(await call('mailpitSendMail', { ...addressed, subject: 'First' })).toEqual({ ID: expect.any(String) })
  await call('mailpitSendMail', { ...addressed, subject: 'Second' })
  expect((await call<List>('mailpitGetAllMails')).total).toBe(2)
  expect((await call<List>('mailpitSearchEmails', 'subject:First')).messages_count).toBe(1)
  expect((await call<List>('mailpitGetEmailsBySubject', 'Second')).messages_count).toBe(1)
  expect((await call<List>('mailpitGetEmailsByTo', 'jane@shop.example')).messages_count).toBe(2)
  expect((await call<List>('mailpitHasEmailsBySearch', 'is:unread', ...wait)).messages_count).toBe(2)
  expect((await call<List>('mailpitHasEmailsBySubject', 'First', ...wait)).messages_count).toBe(1)
  expect((await call<List>('mailpitHasEmailsByTo', 'jane@shop.example', ...wait)).messages_count).toBe(2)
  for (const [name, given] of [
    ['mailpitNotHasEmailsBySearch', 'nothing'],
    ['mailpitNotHasEmailsBySubject', 'Third'],
    ['mailpitNotHasEmailsByTo', 'john@shop.example'],
  ] as const) {
    expect((await call<List>(name, given, ...wait)).messages_count).toBe(0)
  }

  const unread = async () => (await call<List>('mailpitGetAllMails')).unread
  await call('mailpitSetAllEmailStatusAsRead')
  expect(await unread()).toBe(0)
  await call('mailpitSetAllEmailStatusAsUnRead')
  expect(await unread()).toBe(2)
  const mail = await call<Message>('mailpitGetMail')
  await call('mailpitSetStatusAsUnRead', mail)
  expect(await unread()).toBe(2)
  await call('mailpitSetStatusAsRead', [mail])
  expect(await unread()).toBe(1)

  expect(await call('mailpitGetSubject', mail)).toBe('Second')
  expect(await call('mailpitGetFromAddress', mail)).toBe('from@example.com')
  expect(await call('mailpitGetRecipientAddress', mail)).toEqual(['jane@shop.example'])
  expect(await call('mailpitGetAttachments', mail)).toEqual(['a.txt'])
  expect(await call('mailpitGetMailHTMlBody', mail)).toContain('hello from mailpit')
  expect(await call('mailpitGetMailTextBody', mail)).toContain('hello from mailpit')
  for (const name of ['mailpitGetMailSpamAssassinSummary', 'mailpitGetMailSpamAssainSummary']) {
    await expect(call(name, mail)).rejects.toThrow(/^400 Not supported/)
  }

  await call('mailpitDeleteEmailsBySearch', 'subject:First')
  expect((await call<List>('mailpitGetAllMails')).messages.map(({ Subject }) => Subject)).toEqual(['Second'])
  await call('mailpitDeleteAllEmails')
  expect((await call<List>('mailpitGetAllMails')).total).toBe(0)
  expect([...left]).toEqual([])
  vi.unstubAllGlobals()
})
