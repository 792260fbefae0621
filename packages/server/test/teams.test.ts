import { describe, expect, test } from 'vitest'
import { hashApiKey } from '../src/http/authenticate.ts'
import { newId } from '../src/random.ts'
import { ask } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { openPeople, refusal, type Person } from './support/people.ts'

const relay = await startFileServer({ INBOX_CATCH_ALL: 'bootstrap' })
const server = await startFileServer({
  SMTP_RELAY_URL: `smtp://127.0.0.1:${relay.smtpPort}`,
  APP_URL: 'http://app.people.test',
  DEFAULT_PLAN: 'pro',
})
const unmailed = await startFileServer()
const people = await openPeople(server)
const { newTeam, person, store } = people
const unmailedPeople = await openPeople(unmailed)

const LAST_OWNER = { status: 409, code: 'last_owner', message: 'A team keeps at least one owner.' }
const RESERVED = { status: 400, code: 'mailbox_reserved', message: 'Mailbox name is reserved.' }

describe('team.autoSetup', () => {
  test('creates a team and a mailbox from the user’s name and address', async () => {
    const jane = await person({ name: 'Jane Doe', email: 'jane@acme.example' })
    expect(await jane.call.team.current.query()).toBeNull()
    const { team, mailbox, isNew } = await jane.call.team.autoSetup.mutate()
    expect(team).toMatchObject({ name: "Jane's Team", role: 'owner', plan: 'pro', domain: 'in.mailhatch.test' })
    expect(mailbox).toMatchObject({ name: 'acme', address: 'acme@in.mailhatch.test' })
    expect(isNew).toBe(true)
    expect(await jane.call.team.current.query()).toEqual(team)
  })

  test('the next user of a company gets the next name, and a consumer address a random one', async () => {
    const names = []
    for (const email of ['a@umbrella.example', 'b@umbrella.example', 'c@umbrella.example', 'd@umbrella.example']) {
      names.push((await (await person({ email })).call.team.autoSetup.mutate()).mailbox!.name)
    }
    expect(names.slice(0, 3)).toEqual(['umbrella', 'umbrella-team', 'umbrella-inbox'])
    expect(names[3]).toMatch(/^umbrella-[a-z0-9]{4}$/)
    const { team, mailbox } = await (await person({ email: 'john.doe9@gmail.com' })).call.team.autoSetup.mutate()
    expect(team.name).toBe("John's Team")
    expect(mailbox!.name).toMatch(/^john\.doe9-[a-z0-9]{4}$/)
  })

  test('uses the given names', async () => {
    const { team, mailbox } = await (
      await person()
    ).call.team.autoSetup.mutate({ teamName: ' Ops ', mailboxName: 'Pager' })
    expect([team.name, mailbox!.name]).toEqual(['Ops', 'pager'])
    const late = await person()
    expect(await refusal(late.call.team.autoSetup.mutate({ mailboxName: 'pager' }))).toMatchObject({
      status: 409,
      message: 'Mailbox name already taken for this domain.',
    })
    // Nothing was created, so another name can be tried.
    expect(await late.call.team.current.query()).toBeNull()
  })

  test('ten concurrent calls create one team', async () => {
    const eager = await person({ name: 'Eager' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => eager.call.team.autoSetup.mutate()))
    expect(new Set(answers.map(({ team }) => team.id)).size).toBe(1)
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1)
    const teams = (await store.listTeams()).filter(({ name }) => name === "Eager's Team")
    expect(teams).toHaveLength(1)
    expect((await eager.call.team.autoSetup.mutate()).isNew).toBe(false)
  })

  test('the mailbox of a team without one gets the name that its owner chooses', async () => {
    const { owner, join } = await newTeam('pro')
    const member = await person()
    await join(member)
    const setUp = async (who: typeof owner, mailboxName?: string) => {
      const { mailbox, isNew } = await who.call.team.autoSetup.mutate({ mailboxName })
      return { mailbox: mailbox && mailbox.name, isNew }
    }
    expect(await setUp(owner)).toEqual({ mailbox: null, isNew: false })
    expect(await setUp(member, 'of-a-member')).toEqual({ mailbox: null, isNew: false })
    await (await newTeam('pro')).owner.call.inbox.mailboxes.create.mutate({ name: 'of-others' })
    expect(await refusal(setUp(owner, 'of-others'))).toMatchObject({ status: 409, code: 'mailbox_taken' })
    const chosen = { mailbox: 'chosen', isNew: false }
    expect(await Promise.all([setUp(owner, ' Chosen '), setUp(owner, 'chosen')])).toEqual([chosen, chosen])
    expect(await setUp(owner, 'second')).toEqual(chosen)
    expect(await owner.call.inbox.mailboxes.list.query()).toMatchObject([{ name: 'chosen' }])
  })

  test('a very long name is truncated', async () => {
    const { team } = await (await person({ name: 'X'.repeat(100) })).call.team.autoSetup.mutate()
    expect(team.name).toBe('X'.repeat(100))
  })
})

describe('reserved names', () => {
  test.each(['admin', 'ADMIN', 'Postmaster', ' billing ', 'pAyPaL', 'No-Reply'])(
    '%j is refused everywhere',
    async (name) => {
      const { owner } = await newTeam()
      const { inbox, team } = owner.call
      const { id } = await inbox.mailboxes.create.mutate({ name: `free-${newId(Date.now())}` })
      expect(await refusal(inbox.mailboxes.create.mutate({ name }))).toEqual(RESERVED)
      expect(await refusal(inbox.mailboxes.update.mutate({ id, name }))).toEqual(RESERVED)
      expect(await refusal(inbox.ensureStarterMailbox.mutate({ name }))).toEqual(RESERVED)
      expect(await refusal(inbox.mailboxes.ensureStarterMailbox.mutate({ name }))).toEqual(RESERVED)
      expect(await refusal(team.autoSetup.mutate({ mailboxName: name }))).toEqual(RESERVED)
      expect(await refusal((await person()).call.team.autoSetup.mutate({ mailboxName: name }))).toEqual(RESERVED)
      expect(await inbox.mailboxes.checkAvailability.query({ name })).toMatchObject({
        isAvailable: false,
        reason: 'Mailbox name is reserved.',
      })
    },
  )
})

describe('starter mailbox', () => {
  test('is named after the team, and created once', async () => {
    const { owner } = await newTeam('pro', 'Night Shift')
    const made = await owner.call.inbox.ensureStarterMailbox.mutate()
    expect(made.name).toBe('night-shift')
    expect(await owner.call.inbox.mailboxes.ensureStarterMailbox.mutate({ name: 'other' })).toEqual(made)
    expect(await owner.call.inbox.mailboxes.list.query()).toEqual([made])
  })

  test('of a team named after a provider has a random name', async () => {
    const { owner } = await newTeam('pro', 'Gmail')
    expect((await owner.call.inbox.ensureStarterMailbox.mutate()).name).toMatch(/^inbox-[a-z0-9]{4}$/)
  })
})

describe('invites', () => {
  test('are mailed with their link, and admit only that address to the team', async () => {
    const { owner, team } = await newTeam('pro')
    const email = 'Grace.Hopper@people.test'
    const { id, link, isMailed } = await owner.call.team.invite.mutate({ email })
    expect(link).toBe(`http://app.people.test/teams?invite=${id}`)
    expect(isMailed).toBe(true)
    const { data: mail } = await relay.latest({ to: 'grace.hopper@', wait: 10 })
    expect(mail.subject).toBe(`Join ${team.name} on Mailhatch`)
    expect(mail.textContent).toContain(link)

    const other = await person()
    expect(await refusal(other.call.team.acceptInvite.mutate({ id }))).toMatchObject({ status: 404, code: 'not_found' })
    expect(await refusal(other.call.team.declineInvite.mutate({ id }))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
    // The same address in another case.
    const grace = await person({ email: 'grace.hopper@PEOPLE.test' })
    expect(await grace.call.team.invitesByEmail.query()).toMatchObject([{ id, team: { id: team.id, name: team.name } }])
    expect(await grace.call.team.acceptInvite.mutate({ id })).toMatchObject({ id: team.id, role: 'member' })
    expect(await grace.call.team.current.query()).toMatchObject({ id: team.id, role: 'member' })
    expect((await owner.call.team.members.query()).map((member) => [member.email, member.role])).toEqual([
      [owner.email, 'owner'],
      [grace.email, 'member'],
    ])
    expect(await refusal(grace.call.team.acceptInvite.mutate({ id }))).toMatchObject({ status: 404 })
    expect(await owner.call.team.invites.query()).toEqual([])
  })

  test('to one address are mailed five times an hour, from all teams together; the link works anyway', async () => {
    const email = 'often@people.test'
    const mailed = []
    for (let time = 0; time < 7; time++) {
      const { owner } = await newTeam('pro')
      const { isMailed, id } = await owner.call.team.invite.mutate({ email })
      mailed.push(isMailed)
      expect(await owner.call.team.invites.query()).toMatchObject([{ id }])
    }
    expect(mailed).toEqual([true, true, true, true, true, false, false])
  })

  test('are listed for members, who cannot use them', async () => {
    const { owner, join } = await newTeam('pro')
    const member = await person()
    await join(member)
    const { id, link } = await owner.call.team.invite.mutate({ email: 'seen@people.test' })
    expect(await owner.call.team.invites.query()).toMatchObject([{ id, link, email: 'seen@people.test' }])
    const seen = await member.call.team.invites.query()
    expect(seen).toMatchObject([{ id: null, link: null, email: 'seen@people.test' }])
    expect(JSON.stringify(seen)).not.toContain(id)
  })

  test('to an address whose mail is captured here are not mailed, and the link is shown', async () => {
    const { owner } = await newTeam('pro')
    const { isMailed, link } = await owner.call.team.invite.mutate({ email: 'guest@in.mailhatch.test' })
    expect([isMailed, link]).toEqual([false, expect.stringMatching(/\?invite=/)])
  })

  test('without a relay the link is shown', async () => {
    const { owner } = await unmailedPeople.newTeam()
    const { isMailed, id } = await owner.call.team.invite.mutate({ email: 'x@people.test' })
    expect(isMailed).toBe(false)
    // With the port that the server chose.
    const link = `http://localhost:${new URL(unmailed.url).port}/teams?invite=${id}`
    expect(await owner.call.team.invites.query()).toMatchObject([{ id, link }])
  })

  test('expire after 14 days', async () => {
    const { owner, team } = await newTeam('pro')
    const guest = await person()
    const { id, expiresAt } = await owner.call.team.invite.mutate({ email: guest.email })
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(13.99)
    expect(days).toBeLessThanOrEqual(14)
    const at = Date.now()
    const old = {
      id: newId(at),
      teamId: team.id,
      email: guest.email,
      invitedBy: owner.id,
      createdAt: at,
      expiresAt: at - 1,
    }
    expect(await store.addInvite(old, { membersMax: null, invitesMax: 9 })).toBe('added')
    expect(await refusal(guest.call.team.acceptInvite.mutate({ id: old.id }))).toMatchObject({ code: 'invite_expired' })
    expect(await guest.call.team.invitesByEmail.query()).toEqual([])
    // The newer one replaces the first.
    expect(await refusal(guest.call.team.acceptInvite.mutate({ id }))).toMatchObject({ status: 404 })
  })

  test('can be declined and deleted; a user with a team cannot accept another', async () => {
    const { owner } = await newTeam('pro')
    const guest = await person()
    const first = await owner.call.team.invite.mutate({ email: guest.email })
    await guest.call.team.declineInvite.mutate({ id: first.id })
    expect(await refusal(guest.call.team.acceptInvite.mutate({ id: first.id }))).toMatchObject({ status: 404 })
    const second = await owner.call.team.invite.mutate({ email: guest.email })
    await owner.call.team.deleteInvite.mutate({ id: second.id })
    expect(await refusal(guest.call.team.acceptInvite.mutate({ id: second.id }))).toMatchObject({ status: 404 })
    const third = await owner.call.team.invite.mutate({ email: guest.email })
    await guest.call.team.create.mutate({ name: 'Own' })
    expect(await refusal(guest.call.team.acceptInvite.mutate({ id: third.id }))).toMatchObject({ code: 'team_exists' })
  })

  test('to an unconfirmed address are found only by their link', async () => {
    const { owner } = await newTeam('pro')
    const guest = await person({ isEmailChecked: false })
    const { id } = await owner.call.team.invite.mutate({ email: guest.email })
    expect(await guest.call.team.invitesByEmail.query()).toEqual([])
    expect(await guest.call.team.acceptInvite.mutate({ id })).toMatchObject({ role: 'member' })
  })

  test('to members, to invalid addresses and beyond the plan are refused', async () => {
    const { owner } = await newTeam('pro')
    expect(await refusal(owner.call.team.invite.mutate({ email: owner.email }))).toMatchObject({
      code: 'member_exists',
    })
    expect(await refusal(owner.call.team.invite.mutate({ email: 'nobody' }))).toMatchObject({
      code: 'validation_failed',
    })
    const alone = await newTeam('starter')
    expect(await refusal(alone.owner.call.team.invite.mutate({ email: 'x@people.test' }))).toEqual({
      status: 403,
      code: 'member_limit',
      message: 'Member limit reached for this plan.',
    })
  })
})

describe('members', () => {
  test.each([
    { how: 'are removed', end: (owner: Person, { id }: Person) => owner.call.team.removeMember.mutate({ userId: id }) },
    { how: 'leave', end: (_owner: Person, leaving: Person) => leaving.call.team.leave.mutate() },
  ])('users who $how lose their rights and their keys at once, and stay signed in', async ({ end }) => {
    const { owner, team, join } = await newTeam('pro')
    const leaving = await person()
    await join(leaving)
    const at = Date.now()
    const key = 'a-key-that-the-member-has-made'
    await store.addKey({
      id: newId(at),
      teamId: team.id,
      name: 'theirs',
      hash: hashApiKey(key),
      masked: 'masked',
      scopes: ['api.full'],
      mailboxId: null,
      expiresAt: null,
      createdAt: at,
      createdBy: leaving.id,
    })
    const { key: kept } = await owner.call.apiKeys.create.mutate({ name: 'kept' })
    expect((await ask(`${server.url}/v1/me`, { key })).status).toBe(200)
    expect(await leaving.call.inbox.messages.list.query()).toMatchObject({ messages: [] })

    expect(await end(owner, leaving)).toEqual({ userId: leaving.id })
    expect((await ask(`${server.url}/v1/me`, { key })).status).toBe(401)
    expect((await ask(`${server.url}/v1/me`, { key: kept })).status).toBe(200)
    expect(await refusal(leaving.call.inbox.messages.list.query())).toMatchObject({ status: 403 })
    expect(await leaving.call.team.current.query()).toBeNull()
    expect(await leaving.call.user.me.query()).toMatchObject({ id: leaving.id, team: null })
    expect((await owner.call.apiKeys.list.query()).map(({ name }) => name)).toEqual(['kept'])
    expect(await refusal(owner.call.team.removeMember.mutate({ userId: leaving.id }))).toMatchObject({ status: 404 })
    expect(await refusal(leaving.call.team.leave.mutate())).toMatchObject({ status: 403, code: 'forbidden' })
    expect(await leaving.call.team.create.mutate({ name: 'Their own' })).toMatchObject({ role: 'owner' })
  })

  test('the last owner stays', async () => {
    const { owner, join } = await newTeam('pro')
    await join(await person())
    expect(await refusal(owner.call.team.removeMember.mutate({ userId: owner.id }))).toEqual(LAST_OWNER)
    expect(await refusal(owner.call.team.leave.mutate())).toEqual(LAST_OWNER)
    expect(await owner.call.team.current.query()).toMatchObject({ role: 'owner' })
  })

  test('of owners who all leave at once, one stays', async () => {
    const { owner, team } = await newTeam('enterprise')
    const owners = [owner, ...(await Promise.all(Array.from({ length: 5 }, () => person({ ownerOf: team.id }))))]
    const outcomes = await Promise.allSettled(owners.map(({ call }) => call.team.leave.mutate()))
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    const staying = owners[outcomes.findIndex(({ status }) => status === 'rejected')]!
    expect(await staying.call.team.members.query()).toMatchObject([{ id: staying.id, role: 'owner' }])
    expect(await refusal(staying.call.team.leave.mutate())).toEqual(LAST_OWNER)
  })

  test('and the team can be renamed', async () => {
    const { owner, team } = await newTeam('pro')
    expect(await owner.call.team.update.mutate({ name: ' New name ' })).toMatchObject({ id: team.id, name: 'New name' })
    expect(await refusal(owner.call.team.update.mutate({ name: ' ' }))).toMatchObject({ code: 'validation_failed' })
    expect(await owner.call.user.update.mutate({ name: 'Ada' })).toMatchObject({
      name: 'Ada',
      team: { name: 'New name' },
    })
    expect((await owner.call.user.me.query()).name).toBe('Ada')
  })
})

describe('API keys', () => {
  test('are shown once, give access to the API, and can be rotated and deleted', async () => {
    const { owner, join } = await newTeam('pro')
    const member = await person()
    await join(member)
    const { key, apiKey } = await owner.call.apiKeys.create.mutate({ name: 'ci', scope: 'email.full' })
    const me = (value: string) => ask<{ data: { key: object } }>(`${server.url}/v1/me`, { key: value })
    expect((await me(key)).body.data.key).toMatchObject({ id: apiKey.id, name: 'ci', scopes: ['email.full'] })
    const [listed] = await member.call.apiKeys.list.query()
    expect(listed).toMatchObject({ id: apiKey.id, keyMasked: apiKey.keyMasked, createdBy: { id: owner.id } })
    expect(JSON.stringify(listed)).not.toContain(key)

    const rotated = await owner.call.apiKeys.rotate.mutate({ id: apiKey.id })
    expect((await me(key)).status).toBe(401)
    expect((await me(rotated.key)).status).toBe(200)
    await owner.call.apiKeys.delete.mutate({ id: apiKey.id })
    expect((await me(rotated.key)).status).toBe(401)
  })

  test('that have expired are not rotated or changed', async () => {
    const { owner, team } = await newTeam('pro', 'Past its time')
    const words = ['keys', 'create', '--team', team.name, '--expires', new Date(Date.now() - 1_000).toISOString()]
    const { id, key } = await server.command<{ id: string; key: string }>(...words)
    const before = await owner.call.apiKeys.list.query()
    expect(await refusal(owner.call.apiKeys.rotate.mutate({ id }))).toEqual({
      status: 400,
      code: 'key_expired',
      message: 'This key has expired. Create a new one.',
    })
    // Its holder gets the same refusal as for any other request.
    const byHolder = await ask<{ code: string }>(`${server.url}/v1/api-keys/rotate`, { method: 'POST', key })
    expect([byHolder.status, byHolder.body.code]).toEqual([401, 'key_expired'])
    expect(before).toMatchObject([{ id }])
    expect(await owner.call.apiKeys.list.query()).toEqual(before)
  })

  test('bound to a mailbox need one of the team, and that scope', async () => {
    const { owner } = await newTeam('pro')
    const other = await newTeam('pro')
    const { id: mailboxId } = await owner.call.inbox.mailboxes.create.mutate({ name: 'bound-box' })
    const { create } = owner.call.apiKeys
    const made = await create.mutate({ name: 'one', scope: 'email.mailbox', mailboxId })
    expect(made.apiKey.mailboxName).toBe('bound-box')
    expect(await refusal(create.mutate({ name: 'no', scope: 'email.mailbox' }))).toMatchObject({ status: 400 })
    expect(await refusal(create.mutate({ name: 'no', mailboxId }))).toMatchObject({ status: 400 })
    const theirs = other.owner.call.apiKeys.create.mutate({ name: 'no', scope: 'email.mailbox', mailboxId })
    expect(await refusal(theirs)).toMatchObject({ status: 404 })
    const past = new Date(Date.now() - 1_000).toISOString()
    expect(await refusal(create.mutate({ name: 'no', expiresAt: past }))).toMatchObject({ status: 400 })
  })
})
