import { expect, test } from 'vitest'
import { PLANS } from '../src/domain/plans.ts'
import { startFileServer } from './support/file-server.ts'
import { openPeople, refusal, type Person } from './support/people.ts'

const AT_ONCE = 50

const server = await startFileServer()
const { newTeam, person } = await openPeople(server)

/** How many calls succeeded. The others must be refused with this code. */
async function succeeded(calls: Promise<unknown>[], code: string): Promise<number> {
  const outcomes = await Promise.all(
    calls.map((call) =>
      call.then(
        () => 'ok',
        async () => (await refusal(call)).code,
      ),
    ),
  )
  const count = outcomes.filter((outcome) => outcome === 'ok').length
  expect(outcomes.filter((outcome) => outcome === code)).toHaveLength(calls.length - count)
  return count
}

const numbers = Array.from({ length: AT_ONCE }, (_, index) => index)

test.each(['starter', 'pro'] as const)(`${AT_ONCE} concurrent mailboxes: never one over the plan %s`, async (plan) => {
  const { owner } = await newTeam(plan)
  const calls = numbers.map((number) => owner.call.inbox.mailboxes.create.mutate({ name: `${plan}-${number}` }))
  expect(await succeeded(calls, 'mailbox_limit')).toBe(PLANS[plan].mailboxes)
  expect(await owner.call.inbox.mailboxes.list.query()).toHaveLength(PLANS[plan].mailboxes!)
  expect((await owner.call.usage.current.query()).mailboxes).toEqual({
    used: PLANS[plan].mailboxes,
    limit: PLANS[plan].mailboxes,
  })
})

test.each(['starter', 'pro'] as const)(`${AT_ONCE} concurrent keys: never one over the plan %s`, async (plan) => {
  const { owner } = await newTeam(plan)
  const calls = numbers.map((number) => owner.call.apiKeys.create.mutate({ name: `key ${number}` }))
  expect(await succeeded(calls, 'key_limit')).toBe(PLANS[plan].keys)
  expect(await owner.call.apiKeys.list.query()).toHaveLength(PLANS[plan].keys!)
})

test(`${AT_ONCE} concurrent acceptances: never a member over the plan`, async () => {
  const { owner } = await newTeam('pro')
  const guests: { guest: Person; id: string }[] = []
  for (const _ of numbers) {
    const guest = await person()
    guests.push({ guest, id: (await owner.call.team.invite.mutate({ email: guest.email })).id })
  }
  const calls = guests.map(({ guest, id }) => guest.call.team.acceptInvite.mutate({ id }))
  // One seat belongs to the owner.
  expect(await succeeded(calls, 'member_limit')).toBe(PLANS.pro.members! - 1)
  const members = await owner.call.team.members.query()
  expect(members).toHaveLength(PLANS.pro.members!)
  // One of the refused users can take a seat that becomes free.
  await owner.call.team.removeMember.mutate({ userId: members.at(-1)!.id })
  const waiting = guests.find(({ guest }) => !members.some(({ id }) => id === guest.id))!
  expect(await waiting.guest.call.team.acceptInvite.mutate({ id: waiting.id })).toMatchObject({ role: 'member' })
})

test('without a limit all of them are created', async () => {
  const { owner } = await newTeam('enterprise')
  const calls = numbers.map((number) => owner.call.inbox.mailboxes.create.mutate({ name: `free-${number}` }))
  expect(await succeeded(calls, 'mailbox_limit')).toBe(AT_ONCE)
})
