import { expect, test } from 'vitest'
import { createAcceptAnnouncement } from '../src/intake/accept-announcement.ts'
import { newId } from '../src/random.ts'
import { addTeam } from '../src/store/store-contract.ts'
import { moveNames } from './caught-names.ts'
import { openBeside } from './support/accounts.ts'
import { announcement, post, store as announce } from './support/announce.ts'
import { ask, reader } from './support/ask.ts'
import { makeTeam } from './support/made-team.ts'
import { startServer, temporaryFolder } from './support/server.ts'

test('random moves of domains and names: every mail and every refusal follows the rule', async () => {
  const seed = 5
  const report = await moveNames({ runs: 4, steps: 60, seed })
  expect(report.wrong, `seed ${seed}`).toEqual([])
  expect(report.caught).toBeGreaterThan(10)
  expect(report.repeated).toBeGreaterThan(10)
  expect(report.refused).toBeGreaterThan(10)
})

test('the owner of a domain gets its mail, also for names that were caught before; caught mail stays', async () => {
  const { url, apiKey, dataDir } = await startServer({ INBOX_CATCH_ALL: 'bootstrap' })
  const catcher = reader(url, apiKey)
  const before = await announce(url, { domain: 'later.example', mailbox: 'shop' })
  const onRoot = await announce(url, { domain: 'in.mailhatch.test', mailbox: 'orders' })
  expect((await catcher.read(before.id)).domain).toBe('later.example')
  const key = await makeTeam({ DATA_DIR: dataDir }, { name: 'Owner', domain: 'later.example', plan: 'pro' })
  const owner = reader(url, key)
  const after = await announce(url, { domain: 'later.example', mailbox: 'shop' })
  expect((await owner.read(after.id)).mailbox).toBe('shop')
  expect((await catcher.get(`/v1/messages/${after.id}`)).status).toBe(404)
  expect((await catcher.read(before.id)).mailbox).toBe('shop')

  // A name on the shared root, too.
  const sharedKey = await makeTeam({ DATA_DIR: dataDir }, { name: 'Shared', plan: 'pro' })
  const shared = reader(url, sharedKey)
  const made = await ask(`${url}/v1/mailboxes`, {
    key: sharedKey,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'orders' }),
  })
  expect(made.status).toBe(201)
  const theirs = await announce(url, { domain: 'in.mailhatch.test', mailbox: 'orders' })
  expect((await shared.read(theirs.id)).mailbox).toBe('orders')
  expect((await catcher.read(onRoot.id)).mailbox).toBe('orders')
  expect((await post(url, announcement({ domain: 'nowhere.example' }))).status).toBe(200)
})

test('a mailbox on a domain that another team gets gives up its name', async () => {
  const store = await openBeside(temporaryFolder())
  const catcher = await addTeam(store)
  const at = Date.now()
  const left = (name: string, domain: string) => {
    const mailbox = { id: newId(at), teamId: catcher.id, name, domain, createdAt: at, updatedAt: at }
    return store.addMailbox(mailbox, null)
  }
  await left('shop', 'owner.example')
  await left('orders', 'renamer.example')
  await left('third', 'third.example')
  expect(await store.listMailboxes(catcher.id)).not.toContainEqual(expect.objectContaining({ isCaught: true }))
  const owner = await addTeam(store, { domain: 'owner.example' })
  const renamer = await addTeam(store, { domain: 'renamer.example' })
  const taken: string[] = []
  const acceptAnnouncement = createAcceptAnnouncement({
    store,
    feed: { wake: (teamId: string) => void taken.push(teamId) },
    wakeSender: () => {},
    rootDomain: 'root.example',
    catchAllTeam: async () => catcher,
    recordRejection: () => {},
    newId,
    now: Date.now,
  })
  // By mail, by a rename, and by moving there.
  await acceptAnnouncement(announcement({ domain: owner.domain!, mailbox: 'shop' }))
  await acceptAnnouncement(announcement({ domain: renamer.domain!, mailbox: 'old' }))
  const old = (await store.findTeamMailbox({ teamId: renamer.id, name: 'old' }))!
  expect(await store.renameMailbox(old, { name: 'orders', at })).toMatchObject({ name: 'orders' })
  const mover = await addTeam(store)
  await acceptAnnouncement(announcement({ domain: mover.domain!, mailbox: 'third' }))
  expect(await store.moveToDomain(mover.id, { domain: 'third.example', isCustom: true, at })).toBe('moved')
  await acceptAnnouncement(announcement({ domain: 'third.example', mailbox: 'third' }))
  expect(taken).toEqual([owner.id, renamer.id, mover.id, mover.id])
  expect((await store.listMailboxes(catcher.id)).map(({ name, isCaught }) => [name, isCaught]).toSorted()).toEqual([
    ['orders', true],
    ['shop', true],
    ['third', true],
  ])
})
