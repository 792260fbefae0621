import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RpcPorts } from '../src/http/rpc/ports.ts'
import type { ProcedureAccess } from '../src/http/rpc/procedures.ts'
import { createRouter } from '../src/http/rpc/router.ts'
import { newId } from '../src/random.ts'
import { startFileServer } from './support/file-server.ts'
import { openPeople } from './support/people.ts'
import { callProcedure, type ProcedureType } from './support/procedure.ts'

const server = await startFileServer({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:1', RATE_LIMIT: 'off' })
const { url } = server
const people = await openPeople(server)
const ours = await people.newTeam()
const theirs = await people.newTeam()
const member = await people.person()
await ours.join(member)

const CALLERS = {
  owner: async () => ours.owner.headers,
  member: async () => member.headers,
  /** Owns another team. */
  outsider: async () => theirs.owner.headers,
  /** Another user each time, who has no team yet. */
  teamless: async () => (await people.person()).headers,
  stranger: async () => ({ origin: url }),
}
type Caller = keyof typeof CALLERS

let made = 0
const unique = (word: string) => `${word}-${++made}`

/** Resources of our team, each created for one call. */
const things = {
  async mailbox() {
    return ours.owner.call.inbox.mailboxes.create.mutate({ name: unique('box') })
  },
  async message() {
    const { name, domain } = await things.mailbox()
    return server.store({ mailbox: name, domain })
  },
  /** One message for each team, to be followed from the start. */
  async messages() {
    await things.message()
    const { name, domain } = await theirs.owner.call.inbox.mailboxes.create.mutate({ name: unique('box') })
    await server.store({ mailbox: name, domain })
    return { after: 'c0' }
  },
  async key() {
    return (await ours.owner.call.apiKeys.create.mutate({ name: unique('key') })).apiKey
  },
  async endpoint() {
    const [old] = await ours.owner.call.webhooks.list.query()
    if (old) await ours.owner.call.webhooks.delete.mutate({ id: old.id })
    return (await ours.owner.call.webhooks.create.mutate({ url: `http://127.0.0.1:1/${unique('hook')}` })).endpoint
  },
  async delivery() {
    const { id } = await things.endpoint()
    const delivery = await ours.owner.call.webhooks.test.mutate({ id })
    return { id, deliveryId: delivery.id }
  },
  async invite() {
    return ours.owner.call.team.invite.mutate({ email: `${unique('guest')}@people.test` })
  },
  async member() {
    const joining = await people.person()
    await ours.join(joining)
    return joining
  },
}

type Expected =
  | 'ok'
  | 'forbidden'
  | 'not_found'
  | 'message_not_found'
  | 'team_exists'
  | 'last_owner'
  | 'billing_unavailable'
  | 'unauthorized'
type Row = {
  input?: () => Promise<object> | object
  /** If it differs from the declared access. */
  expected?: Partial<Record<Caller, Expected>>
  /** Instead of our member, who is needed for the other rows. */
  member?: () => Promise<{ headers: Record<string, string> }>
}

/** The input, to be sent for the team that owns the named resource and for another one. */
const given = (input: Row['input'], outsider: Expected = 'ok'): Row => ({
  ...(input && { input }),
  expected: { outsider },
})
const idOf = (make: () => Promise<{ id: string }>) => async () => ({ id: (await make()).id })

/** The input of each procedure, and where a caller gets another result than its access says. */
const TABLE: Record<string, Row> = {
  'user.me': {},
  'user.update': { input: () => ({ name: 'Someone' }) },
  'team.current': {},
  'team.autoSetup': {},
  'team.create': {
    input: () => ({ name: 'Another' }),
    expected: { owner: 'team_exists', member: 'team_exists', outsider: 'team_exists' },
  },
  'team.update': given(() => ({ name: 'Renamed' })),
  'team.members': {},
  'team.removeMember': given(async () => ({ userId: (await things.member()).id }), 'not_found'),
  'team.leave': { expected: { owner: 'last_owner', outsider: 'last_owner' }, member: things.member },
  'team.invites': {},
  'team.invite': given(() => ({ email: `${unique('guest')}@people.test` })),
  'team.acceptInvite': {
    input: idOf(things.invite),
    expected: { owner: 'not_found', member: 'not_found', outsider: 'not_found', teamless: 'not_found' },
  },
  'team.declineInvite': {
    input: idOf(things.invite),
    expected: { owner: 'not_found', member: 'not_found', outsider: 'not_found', teamless: 'not_found' },
  },
  'team.deleteInvite': given(idOf(things.invite), 'not_found'),
  'team.invitesByEmail': {},
  'inbox.settings.get': {},
  'inbox.settings.update': given(() => ({ domain: null })),
  'inbox.settings.verify': {},
  'inbox.mailboxes.list': {},
  'inbox.mailboxes.create': given(() => ({ name: unique('box') })),
  'inbox.mailboxes.update': given(async () => ({ id: (await things.mailbox()).id, name: unique('box') }), 'not_found'),
  'inbox.mailboxes.remove': given(idOf(things.mailbox), 'not_found'),
  'inbox.mailboxes.checkAvailability': given(() => ({ name: 'orders' })),
  'inbox.mailboxes.ensureStarterMailbox': {},
  'inbox.ensureStarterMailbox': {},
  'inbox.messages.list': {},
  'inbox.messages.count': {},
  'inbox.messages.get': given(idOf(things.message), 'message_not_found'),
  'inbox.messages.previews': given(async () => ({ ids: [(await things.message()).id] })),
  'inbox.messages.remove': given(idOf(things.message), 'message_not_found'),
  'inbox.messages.removeMany': given(async () => ({ ids: [(await things.message()).id] })),
  'inbox.messages.removeAll': given(() => ({ subject: 'of nobody' })),
  'inbox.messages.view': given(idOf(things.message), 'message_not_found'),
  'inbox.messages.follow': given(things.messages),
  'inbox.readMarks.counts': {},
  'inbox.readMarks.set': given(async () => ({ ids: [(await things.message()).id], isRead: true })),
  'inbox.readMarks.setAll': {},
  'inbox.tags.list': {},
  'inbox.rejections.list': {},
  'inbox.unrouted.list': {},
  'inbox.unrouted.retry': {
    input: () => ({ id: randomUUID(), domain: 'nobody.test', mailbox: 'orders' }),
  },
  'inbox.others.summary': {},
  'inbox.others.list': {},
  'inbox.others.get': { input: () => ({ id: randomUUID() }) },
  'inbox.others.previews': { input: () => ({ ids: [randomUUID()] }) },
  'inbox.others.view': { input: () => ({ id: randomUUID() }) },
  'inbox.caught.list': {},
  'inbox.caught.add': { input: () => ({ domain: 'nobody.test' }) },
  'inbox.caught.remove': { input: () => ({ domain: 'nobody.test' }) },
  'inbox.waits.list': {},
  'inbox.firstSteps.get': {},
  'inbox.firstSteps.sendSample': {
    input: async () => {
      await things.mailbox()
      await theirs.owner.call.inbox.ensureStarterMailbox.mutate()
      return {}
    },
    expected: { outsider: 'ok' },
  },
  'apiKeys.list': {},
  'apiKeys.create': given(() => ({ name: 'ci' })),
  'apiKeys.delete': given(idOf(things.key), 'not_found'),
  'apiKeys.rotate': given(idOf(things.key), 'not_found'),
  'webhooks.list': {},
  'webhooks.create': given(() => ({ url: `http://127.0.0.1:1/${unique('hook')}` })),
  'webhooks.update': given(async () => ({ id: (await things.endpoint()).id, description: 'x' }), 'not_found'),
  'webhooks.toggle': given(async () => ({ id: (await things.endpoint()).id, active: false }), 'not_found'),
  'webhooks.delete': given(idOf(things.endpoint), 'not_found'),
  'webhooks.rotateSecret': given(idOf(things.endpoint), 'not_found'),
  'webhooks.deliveries': given(idOf(things.endpoint), 'not_found'),
  'webhooks.attempts': given(things.delivery, 'not_found'),
  'webhooks.test': given(idOf(things.endpoint), 'not_found'),
  'webhooks.replay': given(things.delivery, 'not_found'),
  'webhooks.replayFailed': given(idOf(things.endpoint), 'not_found'),
  'metrics.overview': {},
  'usage.current': {},
  'billing.status': {},
  'billing.checkout': {
    expected: { owner: 'billing_unavailable', outsider: 'billing_unavailable' },
  },
  'billing.portal': {
    expected: { owner: 'billing_unavailable', outsider: 'billing_unavailable' },
  },
}

/** Callers that the declared access permits. */
const LETS_IN: Record<ProcedureAccess, Caller[]> = {
  anyone: ['owner', 'member', 'outsider', 'teamless'],
  members: ['owner', 'member', 'outsider'],
  owners: ['owner', 'outsider'],
  // Neither of the two teams runs the server.
  operator: [],
}

function expectedFor(access: ProcedureAccess, row: Row, caller: Caller): Expected {
  if (caller === 'stranger') return 'unauthorized'
  return LETS_IN[access].includes(caller) ? (row.expected?.[caller] ?? 'ok') : 'forbidden'
}

// Only names and kinds are used, and no port. The type is nested, the value is flat.
const procedures: object = createRouter({} as RpcPorts)._def.procedures
type Definition = { type: ProcedureType; meta: { access: ProcedureAccess } }
const PROCEDURES = Object.entries(procedures as Record<string, { _def: Definition }>).map(([path, { _def }]) => ({
  path,
  type: _def.type,
  access: _def.meta.access,
}))
const MUTATIONS = PROCEDURES.filter(({ type }) => type === 'mutation')

test('the table lists exactly the existing procedures', () => {
  expect(PROCEDURES.length).toBeGreaterThan(45)
  expect(PROCEDURES.map(({ path }) => path).sort()).toEqual(Object.keys(TABLE).sort())
})

test('docs/reference/procedures.md shows the kind of every procedure and who may call it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/procedures.md'), 'utf8')
  const documented = Array.from(page.matchAll(/^\| `([\w.]+)` \| (\w+) \| (\w+) \|/gm), ([, ...cells]) => cells)
  const actual = PROCEDURES.map(({ path, type, access }) => [path, type, access])
  expect(documented.sort()).toEqual(actual.sort())
})

test('contract: every mutation of mailboxes, keys, webhooks, settings and members is only for owners', () => {
  const guarded =
    /^(?:inbox\.(?:settings|mailboxes|messages)|apiKeys|webhooks|billing)\.|^team\.(?:update|invite|deleteInvite|removeMember)$/
  const changing = MUTATIONS.filter(({ path }) => guarded.test(path))
  expect(changing.length).toBeGreaterThan(20)
  expect(changing.filter(({ access }) => access !== 'owners')).toEqual([])
})

describe('who may call what', () => {
  const cases = PROCEDURES.flatMap(({ path, type, access }) =>
    (Object.keys(CALLERS) as Caller[]).map((caller) => ({ path, type, access, caller, row: TABLE[path]! })),
  )

  test.each(cases)('$caller: $path', async ({ path, type, access, caller, row }) => {
    const input = await row.input?.()
    const headers = caller === 'member' && row.member ? (await row.member()).headers : await CALLERS[caller]()
    const { code, status } = await callProcedure(url, { path, type, input, headers })
    expect({ code, isSuccess: status === 200 }).toEqual({
      code: expectedFor(access, row, caller),
      isSuccess: expectedFor(access, row, caller) === 'ok',
    })
  })
})

test('procedures refuse ids of another team', async () => {
  const withIds = []
  for (const [path, { input }] of Object.entries(TABLE)) {
    const names = Object.keys((await input?.()) ?? {})
    const { access } = PROCEDURES.find((one) => one.path === path)!
    const outsider = expectedFor(access, TABLE[path]!, 'outsider')
    if (names.some((name) => /id$/i.test(name))) withIds.push({ path, outsider })
  }
  expect(withIds.length).toBeGreaterThan(15)
  expect(withIds.filter(({ outsider }) => !/not_found|forbidden/.test(outsider))).toEqual([])
})

describe('a page of another site can change nothing', () => {
  const { cookie } = ours.owner.headers

  test.each(MUTATIONS)('$path', async ({ path, type }) => {
    const headers: Record<string, string>[] = [
      { cookie, origin: 'https://evil.example' },
      { cookie },
      { cookie, origin: 'null' },
    ]
    for (const given of headers) {
      // Before the input is checked.
      const { status, code } = await callProcedure(url, { path, type, input: { nothing: 'valid' }, headers: given })
      expect({ status, code }).toEqual({ status: 403, code: 'forbidden' })
    }
  })
})

describe('checks come in this order: session, origin, input, role', () => {
  const bad = { path: 'inbox.mailboxes.create', type: 'mutation', input: { name: 'Admin' } } as const

  test('an anonymous caller is refused before origin and input are checked', async () => {
    const answer = await callProcedure(url, { ...bad, headers: { origin: 'https://evil.example' } })
    expect(answer).toMatchObject({ status: 401, code: 'unauthorized' })
  })

  test('a member gets the error for the input before the one for the role', async () => {
    expect(await callProcedure(url, { ...bad, headers: member.headers })).toMatchObject({
      status: 400,
      code: 'mailbox_reserved',
      message: 'Mailbox name is reserved.',
    })
    const good = { ...bad, input: { name: 'orders' }, headers: member.headers }
    expect(await callProcedure(url, good)).toMatchObject({ status: 403, code: 'forbidden' })
  })
})

test('an ended session gives no access', async () => {
  const leaving = await people.person()
  expect((await leaving.call.user.me.query()).id).toBe(leaving.id)
  await people.store.removeSessions(leaving.id)
  const me = { path: 'user.me', type: 'query', headers: leaving.headers } as const
  expect(await callProcedure(url, me)).toMatchObject({ status: 401, code: 'unauthorized' })
})

test('unknown ids of any form are not found', async () => {
  for (const id of [newId(Date.now()), 'nothing', '', '../..', '0'.repeat(4_000)]) {
    const { status } = await callProcedure(url, {
      path: 'apiKeys.delete',
      type: 'mutation',
      input: { id },
      headers: ours.owner.headers,
    })
    expect({ id, status }).toEqual({ id, status: 404 })
  }
})
