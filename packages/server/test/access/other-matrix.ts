import { newApiKey } from '../../src/domain/api-key.ts'
import { newSecret, secureRandom } from '../../src/random.ts'
import { ADMIN_TOKEN } from '../support/admin-subject.ts'
import { startFileServer } from '../support/file-server.ts'
import { madeSecret } from '../support/made-secrets.ts'
import { makeTeam, makeTeamKey } from '../support/made-team.ts'
import { STRIPE } from '../support/payment-provider.ts'
import { openPeople } from '../support/people.ts'
import { WEBHOOK_SECRET } from '../support/server.ts'
import { actingFirstAs } from './acts-first.ts'
import { otherApiTable, workerTable, type OtherAccess, type OtherRow, type Parts } from './other-table.ts'

const KEYS = ['an api.full key', 'an email.full key', 'a key of a mailbox', 'a key of another team'] as const
const SESSIONS = ['an owner', 'a member', 'an owner of another team', 'a user without a team', 'the operator'] as const
const STRANGERS = ['no credentials', 'an ended session', 'an unknown session'] as const
const OTHER_SECRETS = ['an unknown key', 'a malformed key', 'a revoked key', 'an expired key'] as const
const OWN_SECRETS = ['a key of a deleted mailbox', 'the webhook secret', 'the admin token'] as const

export const OTHER_CALLERS = [...KEYS, ...SESSIONS, ...STRANGERS, ...OTHER_SECRETS, ...OWN_SECRETS] as const
export type OtherCaller = (typeof OTHER_CALLERS)[number]

const LETS_IN: Record<OtherAccess, readonly OtherCaller[]> = {
  everyone: OTHER_CALLERS,
  key: KEYS,
  user: SESSIONS,
  member: ['an owner', 'a member'],
  operator: ['the operator'],
  'admin token': ['the admin token'],
}

/** How the others are refused, if it is not 401. */
const REFUSALS: Record<OtherAccess, Partial<Record<OtherCaller, string>>> = {
  everyone: {},
  key: { 'an expired key': '401 key_expired', 'a key of a deleted mailbox': '403 forbidden' },
  user: {},
  member: {
    'an owner of another team': '404 message_not_found',
    'the operator': '404 message_not_found',
    'a user without a team': '403 forbidden',
  },
  operator: Object.fromEntries(SESSIONS.map((caller) => [caller, '403 forbidden'])),
  'admin token': {},
}

function expectedFor({ access, answer }: OtherRow, caller: OtherCaller): string {
  return LETS_IN[access].includes(caller) ? answer : (REFUSALS[access][caller] ?? '401 unauthorized')
}

export type OtherCell = { name: string; program: 'API' | 'worker'; caller: OtherCaller; expected: string }

/** A server with all these callers, and the routes that are neither operations nor procedures. Call it at the top level of a file. */
export async function startOtherMatrix() {
  const settings = { METRICS: 'on', ADMIN_TOKEN, RATE_LIMIT: 'off', ...STRIPE }
  const server = await startFileServer(settings)
  const people = await openPeople(server)
  const ours = await people.newTeam()
  const tables = { API: await otherApiTable({ server, people, ours }), worker: workerTable(server) }
  const headersOf = await openCallers({ server, people, ours })
  const urls = { API: server.url, worker: `http://127.0.0.1:${server.workerPort}` }

  function cellsFor(some: readonly OtherCaller[]): OtherCell[] {
    return (['API', 'worker'] as const).flatMap((program) =>
      Object.entries(tables[program]).flatMap(([name, row]) =>
        some.map((caller) => ({ name, program, caller, expected: expectedFor(row, caller) })),
      ),
    )
  }

  async function tryCell({ name, program, caller }: OtherCell, { actsFirst = false } = {}) {
    const [method, path] = name.split(' ')
    const call = await tables[program][name]!.call?.()
    const changes = call?.changes
    const before = await changes?.read()
    const response = await fetch(urls[program] + (call?.path ?? path), {
      method: call?.method ?? method!,
      headers: {
        ...call?.headers,
        ...(await headersOf(caller)),
        ...(actsFirst && changes && actingFirstAs(changes.permitted)),
      },
      redirect: 'manual',
      ...(call?.body === undefined ? {} : { body: call.body }),
    })
    const found = outcomeOf(response.status, await response.text())
    return { found, isChanged: (await changes?.read()) !== before }
  }

  /** What was found instead of the declared answer, or that a call which was refused had an effect. */
  async function check(cell: OtherCell, options?: { actsFirst: boolean }): Promise<object | null> {
    const { found, isChanged } = await tryCell(cell, options)
    const isRefused = !/^[23]/.test(cell.expected)
    return found === cell.expected && !(isRefused && isChanged) ? null : { found, isChanged }
  }

  /** Routes that change something for a permitted caller, by each caller that they refuse. */
  async function refusedChanges(): Promise<OtherCell[]> {
    const changing: OtherCell[] = []
    for (const cell of cellsFor(OTHER_CALLERS)) {
      const { call } = tables[cell.program][cell.name]!
      if (!/^[23]/.test(cell.expected) && (await call?.())?.changes) changing.push(cell)
    }
    return changing
  }

  return { ...server, people, tables, cellsFor, refusedChanges, check, headersOf }
}

/** A new session for each request, because some end it. */
export async function openCallers({ server, people, ours }: Parts) {
  const environment = { DATA_DIR: server.dataDir }
  const theirs = await people.newTeam()
  const member = await people.person()
  await ours.join(member)
  const [teamless, operator] = [await people.person(), await people.operator()]
  const keyOf = (options: Parameters<typeof makeTeamKey>[2] = {}) => makeTeamKey(environment, ours.team.name, options)
  const gone = await ours.owner.call.inbox.mailboxes.create.mutate({ name: 'gone' })
  const revoked = await ours.owner.call.apiKeys.create.mutate({ name: 'revoked' })
  const keys: Partial<Record<OtherCaller, string>> = {
    'an api.full key': await keyOf(),
    'an email.full key': await keyOf({ scope: 'email.full' }),
    'a key of a mailbox': await keyOf({ mailbox: 'files' }),
    'a key of another team': await makeTeam(environment, { name: 'Foreign', plan: 'pro' }),
    'an unknown key': newApiKey(secureRandom),
    'a malformed key': `${newApiKey(secureRandom).slice(0, -1)}!`,
    'a revoked key': madeSecret(revoked.key),
    'an expired key': await keyOf({ expiresAt: Date.now() - 3_600_000 }),
    'a key of a deleted mailbox': await keyOf({ mailbox: 'gone' }),
    'the webhook secret': WEBHOOK_SECRET,
    'the admin token': ADMIN_TOKEN,
  }
  await ours.owner.call.apiKeys.delete.mutate({ id: revoked.apiKey.id })
  await ours.owner.call.inbox.mailboxes.remove.mutate({ id: gone.id })
  const users: Partial<Record<OtherCaller, string>> = {
    'an owner': ours.owner.id,
    'a member': member.id,
    'an owner of another team': theirs.owner.id,
    'a user without a team': teamless.id,
    'the operator': operator.id,
  }
  const ended = await people.person()
  await people.store.removeSessions(ended.id)

  return async (caller: OtherCaller): Promise<Record<string, string>> => {
    const [key, user] = [keys[caller], users[caller]]
    if (key !== undefined) return { authorization: `Bearer ${key}` }
    if (user !== undefined) return (await people.signIn(user)).headers
    if (caller === 'an ended session') return ended.headers
    return caller === 'an unknown session' ? { cookie: `mailhatch=${newSecret()}`, origin: server.url } : {}
  }
}

/** MCP has the code elsewhere. */
function outcomeOf(status: number, text: string): string {
  if (status < 400) return String(status)
  // The shape of every failure.
  const body = JSON.parse(text) as { code?: string; error?: { data?: { code: string } } }
  return `${status} ${body.code ?? body.error?.data?.code}`
}
