import { randomUUID } from 'node:crypto'
import type { startFileServer } from '../support/file-server.ts'
import type { openPeople } from '../support/people.ts'

type People = Awaited<ReturnType<typeof openPeople>>
type Team = Awaited<ReturnType<People['newTeam']>>
type Parts = { server: Awaited<ReturnType<typeof startFileServer>>; people: People; ours: Team; theirs: Team }

export type SessionCaller =
  | 'owner'
  | 'member'
  | 'outsider'
  | 'teamless'
  | 'stranger'
  | 'operator'
  | 'ended session'
  | 'unknown session'
  | 'API key'

export type Expected =
  | 'ok'
  | 'forbidden'
  | 'not_found'
  | 'message_not_found'
  | 'cursor_not_found'
  | 'mailbox_unknown'
  | 'team_exists'
  | 'last_owner'
  | 'billing_unavailable'
  | 'unauthorized'
export type Row = {
  input?: () => Promise<object> | object
  /** If it differs from the declared access. */
  expected?: Partial<Record<SessionCaller, Expected>>
  /** Instead of our member, who is needed for the other rows. */
  member?: () => Promise<{ headers: Record<string, string> }>
  /** Headers of a caller for whom the last input has an effect, if that is neither our owner nor the operator. */
  permitted?: () => Promise<Record<string, string>>
}

/** The input, to be sent for the team that owns the named resource and for another one. */
const given = (input: Row['input'], outsider: Expected = 'ok'): Row => ({
  ...(input && { input }),
  expected: { outsider },
})
const idOf = (make: () => Promise<{ id: string }>) => async () => ({ id: (await make()).id })

/** In the names of what belongs to our team, so that answers which show it can be found. */
export const OURS = 'of-ours'

/** The input of each procedure, and where a caller gets another result than its access says. */
export function procedureTable({ server, people, ours, theirs }: Parts) {
  let made = 0
  /** Headers of the last user who was invited. */
  let invited: Record<string, string> = {}
  const unique = (word: string) => `${word}-${++made}`
  const named = (word: string) => unique(`${OURS}-${word}`)

  /** Resources of our team, each created for one call. */
  const things = {
    async mailbox() {
      return ours.owner.call.inbox.mailboxes.create.mutate({ name: named('box') })
    },
    async message(subject = 'Hello') {
      const { name, domain } = await things.mailbox()
      return server.store({ mailbox: name, domain, subject })
    },
    /** One message for each team, to be followed from the start. */
    async messages() {
      await things.message()
      const { name, domain } = await theirs.owner.call.inbox.mailboxes.create.mutate({ name: unique('box') })
      await server.store({ mailbox: name, domain })
      return { after: 'c0' }
    },
    async key() {
      return (await ours.owner.call.apiKeys.create.mutate({ name: named('key') })).apiKey
    },
    async scenario() {
      return ours.owner.call.scenarios.create.mutate({ to: (await things.mailbox()).address, steps: 'accept' })
    },
    async endpoint() {
      const [old] = await ours.owner.call.webhooks.list.query()
      if (old) await ours.owner.call.webhooks.delete.mutate({ id: old.id })
      return (await ours.owner.call.webhooks.create.mutate({ url: `http://127.0.0.1:1/${named('hook')}` })).endpoint
    },
    async delivery() {
      const { id } = await things.endpoint()
      const delivery = await ours.owner.call.webhooks.test.mutate({ id })
      return { id, deliveryId: delivery.id }
    },
    async invite() {
      const guest = await people.person({ email: `${named('guest')}@people.test` })
      invited = guest.headers
      return ours.owner.call.team.invite.mutate({ email: guest.email })
    },
    async caughtDomain() {
      const domain = `${unique('caught')}.test`
      await (await people.operator()).call.inbox.caught.add.mutate({ domain })
      return { domain }
    },
    async member() {
      const joining = await people.person({ email: `${named('member')}@people.test` })
      await ours.join(joining)
      return joining
    },
  }

  const table: Record<string, Row> = {
    'user.me': {},
    'user.update': { input: () => ({ name: unique('Someone') }) },
    'team.current': {},
    'team.autoSetup': {},
    'team.create': {
      input: () => ({ name: 'Another' }),
      expected: { owner: 'team_exists', member: 'team_exists', outsider: 'team_exists' },
    },
    'team.update': given(() => ({ name: unique('Renamed') })),
    'team.members': {},
    'team.removeMember': given(async () => ({ userId: (await things.member()).id }), 'not_found'),
    'team.leave': {
      expected: { owner: 'last_owner', outsider: 'last_owner' },
      member: things.member,
      permitted: async () => (await things.member()).headers,
    },
    'team.invites': {},
    'team.invite': given(() => ({ email: `${unique('guest')}@people.test` })),
    'team.acceptInvite': {
      input: idOf(things.invite),
      expected: { owner: 'not_found', member: 'not_found', outsider: 'not_found', teamless: 'not_found' },
      permitted: async () => invited,
    },
    'team.declineInvite': {
      input: idOf(things.invite),
      expected: { owner: 'not_found', member: 'not_found', outsider: 'not_found', teamless: 'not_found' },
      permitted: async () => invited,
    },
    'team.deleteInvite': given(idOf(things.invite), 'not_found'),
    'team.invitesByEmail': {},
    'inbox.settings.get': {},
    'inbox.settings.update': given(() => ({ domain: null })),
    'inbox.settings.verify': {},
    'inbox.mailboxes.list': {},
    'inbox.mailboxes.create': given(() => ({ name: unique('box') })),
    'inbox.mailboxes.update': given(
      async () => ({ id: (await things.mailbox()).id, name: unique('box') }),
      'not_found',
    ),
    'inbox.mailboxes.remove': given(idOf(things.mailbox), 'not_found'),
    'inbox.mailboxes.checkAvailability': given(() => ({ name: 'orders' })),
    'inbox.mailboxes.ensureStarterMailbox': {},
    'inbox.ensureStarterMailbox': {},
    'inbox.messages.list': given(async () => ({ afterId: (await things.message()).id }), 'cursor_not_found'),
    'inbox.messages.count': {},
    'inbox.messages.get': given(idOf(things.message), 'message_not_found'),
    'inbox.messages.previews': given(async () => ({ ids: [(await things.message()).id] })),
    'inbox.messages.remove': given(idOf(things.message), 'message_not_found'),
    'inbox.messages.removeMany': given(async () => ({ ids: [(await things.message()).id] })),
    'inbox.messages.removeAll': given(async () => ({ subject: (await things.message(unique('subject'))).subject })),
    'inbox.messages.view': given(idOf(things.message), 'message_not_found'),
    'inbox.messages.follow': given(things.messages),
    'inbox.readMarks.counts': {},
    'inbox.readMarks.set': given(async () => ({ ids: [(await things.message()).id], isRead: true })),
    'inbox.readMarks.setAll': given(async () => {
      await things.message()
      return {}
    }),
    'inbox.tags.list': {},
    'inbox.rejections.list': {},
    'inbox.attempts.list': given(async () => ({ to: (await things.message()).to, limit: 10 })),
    'inbox.unrouted.list': {},
    'inbox.unrouted.retry': {
      input: () => ({ id: randomUUID(), domain: 'nobody.test', mailbox: 'orders' }),
      expected: { operator: 'message_not_found' },
    },
    'inbox.others.summary': {},
    'inbox.others.list': {},
    'inbox.others.get': { input: () => ({ id: randomUUID() }), expected: { operator: 'message_not_found' } },
    'inbox.others.previews': { input: () => ({ ids: [randomUUID()] }) },
    'inbox.others.view': { input: () => ({ id: randomUUID() }), expected: { operator: 'message_not_found' } },
    'inbox.caught.list': {},
    'inbox.caught.add': { input: () => ({ domain: `${unique('caught')}.test` }) },
    'inbox.caught.remove': { input: things.caughtDomain },
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
    'apiKeys.create': given(
      async () => ({ name: 'ci', scope: 'email.mailbox', mailboxId: (await things.mailbox()).id }),
      'not_found',
    ),
    'apiKeys.delete': given(idOf(things.key), 'not_found'),
    'apiKeys.rotate': given(idOf(things.key), 'not_found'),
    'scenarios.list': {},
    // Without the word of our team, because the refusal repeats the address.
    'scenarios.create': given(async () => {
      const { address } = await ours.owner.call.inbox.mailboxes.create.mutate({ name: unique('scripted') })
      return { to: address, steps: 'accept' }
    }, 'mailbox_unknown'),
    'scenarios.delete': given(idOf(things.scenario), 'not_found'),
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
  return {
    table,
    /** So that every list of our team has a row. */
    async addOneOfEach() {
      for (const add of [things.message, things.key, things.delivery, things.scenario, things.invite, things.member])
        await add()
    },
  }
}
