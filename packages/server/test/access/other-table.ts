import { randomUUID } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { expect, vi } from 'vitest'
import { createToken } from '../../src/manage/one-time-tokens.ts'
import { newSecret } from '../../src/random.ts'
import type { TokenPurpose } from '../../src/store/accounts.ts'
import { ADMIN_TOKEN } from '../support/admin-subject.ts'
import type { startFileServer } from '../support/file-server.ts'
import { madeSecret } from '../support/made-secrets.ts'
import { stripeSignature } from '../support/payment-provider.ts'
import type { openPeople } from '../support/people.ts'
import { json } from '../support/walk.ts'
import type { Credentials } from './acts-first.ts'
import { WORKER_ROUTES } from './other-routes.ts'

type People = Awaited<ReturnType<typeof openPeople>>
type Team = Awaited<ReturnType<People['newTeam']>>
export type Parts = { server: Awaited<ReturnType<typeof startFileServer>>; people: People; ours: Team }

/** `user`: anyone with a session. `member`: of the team that owns the message. */
export type OtherAccess = 'everyone' | 'key' | 'user' | 'member' | 'operator' | 'admin token'

export type OtherCall = {
  method?: string
  path?: string
  body?: string
  headers?: Credentials
  /** What the call changes for a permitted caller, read as a text, and the headers of such a caller. */
  changes?: { read: () => Promise<string>; permitted: Credentials }
}

export type OtherRow = {
  access: OtherAccess
  /** What a permitted caller gets: status and code. */
  answer: string
  /** Where it differs from the name of the row. */
  call?: () => Promise<OtherCall> | OtherCall
}

/** On a busy machine. */
const STORED_MS_MAX = 60_000
const PASSWORD = madeSecret('correct horse battery')
const ABSENT_ID = '01a1dd20-3c5f-7a3e-869b-e2d14e2e7482'
const MCP = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** Routes of the API by name, as in OTHER_API_ROUTES. */
export async function otherApiTable({ server, people, ours }: Parts): Promise<Record<string, OtherRow>> {
  const { message, unclaimed } = await storeMails({ server, people, ours })
  const known = await people.person()
  const { status } = await fetch(`${server.url}/auth/password`, {
    method: 'POST',
    ...json({ new: PASSWORD }),
    headers: { ...known.headers, 'content-type': 'application/json' },
  })
  expect(status).toBe(200)

  const withToken = (purpose: TokenPurpose) => async () => {
    const token = await createToken({ store: people.store, newSecret, now: Date.now }, known.id, purpose)
    return json({ token: madeSecret(token), password: PASSWORD })
  }
  const sessionsOf = async (userId: string) =>
    JSON.stringify((await people.store.listSessions(userId, Date.now())).map(({ id }) => id))
  const sessionOfAnother = async () => {
    const { id, headers } = await people.person()
    const [session] = await people.store.listSessions(id, Date.now())
    return { path: `/auth/sessions/${session!.id}`, changes: { read: () => sessionsOf(id), permitted: headers } }
  }
  const everySession = async () => {
    const { id, headers } = await people.person()
    return { changes: { read: () => sessionsOf(id), permitted: headers } }
  }

  return {
    'GET /': { access: 'everyone', answer: '200' },
    'GET /metrics': { access: 'everyone', answer: '200' },
    'ALL /mcp': {
      access: 'key',
      answer: '200',
      call: () => ({ ...json({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), method: 'POST', headers: MCP }),
    },
    'GET /app/messages/:id/raw': {
      access: 'member',
      answer: '200',
      call: () => ({ path: `/app/messages/${message}/raw` }),
    },
    'GET /app/messages/:id/attachments/:index': {
      access: 'member',
      answer: '200',
      call: () => ({ path: `/app/messages/${message}/attachments/0` }),
    },
    'GET /app/others/:id/raw': {
      access: 'operator',
      answer: '200',
      call: () => ({ path: `/app/others/${unclaimed}/raw` }),
    },
    'GET /app/others/:id/attachments/:index': {
      access: 'operator',
      answer: '200',
      call: () => ({ path: `/app/others/${unclaimed}/attachments/0` }),
    },
    'GET /view/:token': {
      access: 'everyone',
      answer: '200',
      call: async () => {
        const { call } = await people.signIn(ours.owner.id)
        return { path: (await call.inbox.messages.view.query({ id: message })).path }
      },
    },
    'GET /auth/methods': { access: 'everyone', answer: '200' },
    'POST /auth/sign-up': {
      access: 'everyone',
      answer: '403 invite_needed',
      call: () => json({ email: 'new@people.test', password: PASSWORD }),
    },
    'POST /auth/sign-in': {
      access: 'everyone',
      answer: '200',
      call: () => json({ email: known.email, password: PASSWORD }),
    },
    'POST /auth/link': { access: 'everyone', answer: '200', call: withToken('sign-in') },
    'POST /auth/check': { access: 'everyone', answer: '200', call: withToken('check') },
    'POST /auth/reset': { access: 'everyone', answer: '200', call: withToken('reset') },
    'POST /auth/reset/request': { access: 'everyone', answer: '200', call: () => json({ email: 'a@people.test' }) },
    'POST /auth/sign-out': { access: 'everyone', answer: '200' },
    'POST /auth/sign-out-everywhere': { access: 'user', answer: '200', call: everySession },
    'GET /auth/sessions': { access: 'user', answer: '200' },
    'DELETE /auth/sessions/:id': { access: 'user', answer: '404 not_found', call: sessionOfAnother },
    'POST /auth/password': { access: 'user', answer: '400 validation_failed', call: () => json({ new: 'short' }) },
    // No provider is set.
    'GET /auth/oidc/start': { access: 'everyone', answer: '404 not_found' },
    'GET /auth/oidc/callback': { access: 'everyone', answer: '404 not_found' },
    'POST /billing/webhook': { access: 'everyone', answer: '200', call: signedEvent },
  }
}

/** Of the payment provider. It is about no customer. */
function signedEvent(): OtherCall {
  const { body = '', headers } = json({ id: `evt_${randomUUID()}`, type: 'ping', data: { object: {} } })
  return { body, headers: { ...headers, 'stripe-signature': stripeSignature(body) } }
}

/** What the admin API answers where no mail is stored and no provider is set, if it is not 200. */
const ADMIN_ANSWERS: [pattern: RegExp, answer: string][] = [
  [/:id/, '404 message_not_found'],
  [/catch-all|dns|subdomains/, '500 not_configured'],
]

const DELETES_MAIL = 'DELETE /admin/inboxes/:localPart/messages/:id'

/** Routes of the worker by name. Everything but its health and its metrics is the admin API. */
export function workerTable(server: Parts['server']): Record<string, OtherRow> {
  const rows = WORKER_ROUTES.map(({ method, path }): [string, OtherRow] => {
    const isPublic = ['/health', '/ready', '/metrics'].includes(path)
    const [, answer = '200'] = ADMIN_ANSWERS.find(([pattern]) => pattern.test(path)) ?? []
    const call = () => ({ path: path.replace(':localPart', 'qa').replace(':id', ABSENT_ID) })
    return [`${method} ${path}`, { access: isPublic ? 'everyone' : 'admin token', answer, call }]
  })
  return {
    ...Object.fromEntries(rows),
    [DELETES_MAIL]: { access: 'admin token', answer: '200', call: () => deletedMail(server) },
  }
}

let mailsToDelete = 0

/** A mail of its own for each call. */
async function deletedMail({ smtpPort, workerPort }: Parts['server']): Promise<OtherCall> {
  const mailbox = `deleted-${++mailsToDelete}`
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  await transport.sendMail({ from: 'app@shop.example', to: `${mailbox}@in.mailhatch.test`, text: 'Hello' })
  transport.close()
  const permitted = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const inbox = `/admin/inboxes/${mailbox}/messages`
  const list = async () => (await fetch(`http://127.0.0.1:${workerPort}${inbox}`, { headers: permitted })).text()
  const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(await list())!
  const read = async () => String((await list()).includes(id))
  return { path: `${inbox}/${id}`, changes: { read, permitted } }
}

/** One mail for our team and one that no team claims, both with an attachment. */
async function storeMails({ server, people, ours }: Parts): Promise<{ message: string; unclaimed: string }> {
  const { name, domain } = await ours.owner.call.inbox.mailboxes.create.mutate({ name: 'files' })
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
  const attachments = [{ filename: 'note.txt', content: 'A note' }]
  for (const to of [`${name}@${domain}`, 'anna@elsewhere.example']) {
    await transport.sendMail({ from: 'app@shop.example', to, subject: 'Files', html: '<p>See attached.', attachments })
  }
  transport.close()
  const operator = await people.operator()
  const [message, unclaimed] = await vi.waitUntil(
    async () => {
      const { messages } = await ours.owner.call.inbox.messages.list.query({})
      const { messages: others } = await operator.call.inbox.others.list.query({})
      return messages[0] && others[0] && [messages[0].id, others[0].id]
    },
    { timeout: STORED_MS_MAX },
  )
  return { message, unclaimed }
}
