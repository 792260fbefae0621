import { expect, test } from 'vitest'
import { readAnnouncement } from '../src/intake/announcement.ts'
import { intake } from '../src/intake/intake.ts'
import { createMailbox } from '../src/manage/mailboxes.ts'
import { newId } from '../src/random.ts'
import { addTeam } from '../src/store/store-contract.ts'
import { startAccounts } from './support/accounts.ts'
import { announcement } from './support/announce.ts'

/** Of intake, without the store. */
const PORTS = {
  feed: { wake: () => {} },
  wakeSender: () => {},
  rootDomain: 'in.mailhatch.test',
  catchAllTeam: async () => null,
  recordRejection: () => {},
  newId,
  now: Date.now,
}

/** A team that moved after a request had read that it is on `before`. */
async function startMoved() {
  const { store } = await startAccounts()
  const team = await addTeam(store)
  const moved = `new.${team.domain}`
  const inbox = await store.findInbox({ domain: team.domain!, mailbox: 'qa' })
  expect(await store.moveToDomain(team.id, { domain: moved, isCustom: true, at: Date.now() })).toBe('moved')
  return { store, team, before: team.domain!, moved, inbox }
}

test('a mailbox created while its team moves is created on the new domain', async () => {
  const { store, team, moved } = await startMoved()
  const ports = { ...PORTS, store }
  expect(await createMailbox(ports, team, 'shop')).toMatchObject({ name: 'shop', domain: moved })
  expect(await createMailbox(ports, { ...team, domain: null }, 'orders')).toMatchObject({ domain: moved })
})

test('mail that arrives while its team moves leaves no mailbox on the old domain', async () => {
  const { store, team, before, inbox } = await startMoved()
  let looks = 0
  const ports = {
    ...PORTS,
    store: {
      ...store,
      findInbox: async (where: Parameters<typeof store.findInbox>[0]) =>
        looks++ === 0 ? inbox : store.findInbox(where),
    },
    feed: { wake: () => expect.unreachable() },
  }
  const announced = readAnnouncement(announcement({ domain: before, mailbox: 'qa' }), ports.rootDomain)
  await expect(intake(ports, announced)).rejects.toMatchObject({ code: 'inbox_domain_unknown' })
  expect(looks).toBe(2)
  expect(await store.listMailboxes(team.id)).toEqual([])
})

test('a message whose domain changes hands while it is being stored belongs to one team', async () => {
  const { store } = await startAccounts()
  const [former, next] = [await addTeam(store), await addTeam(store)]
  const domain = former.domain!
  await store.addMailbox(
    { id: newId(Date.now()), teamId: former.id, name: 'qa', domain, createdAt: 0, updatedAt: 0 },
    null,
  )
  const resolved = Promise.withResolvers<void>()
  const moved = Promise.withResolvers<void>()
  const slowStore = {
    ...store,
    async addMessage(...given: Parameters<typeof store.addMessage>) {
      resolved.resolve()
      await moved.promise
      return store.addMessage(...given)
    },
  }
  const mail = announcement({ domain, mailbox: 'qa' })
  const announced = () => readAnnouncement(mail, PORTS.rootDomain)
  const first = intake({ ...PORTS, store: slowStore }, announced())
  await resolved.promise
  await store.moveToDomain(former.id, { domain: `old.${domain}`, isCustom: true, at: Date.now() })
  await store.moveToDomain(next.id, { domain, isCustom: true, at: Date.now() })
  expect(await intake({ ...PORTS, store }, announced())).toBe('stored')
  moved.resolve()
  expect(await first).toBe('duplicate')
  const countOf = (teamId: string) => store.countMessages({ teamId, oldestReceivedAt: 0, filter: {} })
  expect(await Promise.all([countOf(former.id), countOf(next.id)])).toEqual([0, 1])
})
