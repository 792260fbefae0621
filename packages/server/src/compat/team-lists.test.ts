import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { addMailbox, addTeam, messageFor } from '../store/store-contract.ts'
import type { StoredSummary } from '../store/messages.ts'
import { createTeamLists } from './team-lists.ts'

function start(entriesMax: number) {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  const inMemory = new Set<StoredSummary>()
  const tagsOf = new WeakMap<StoredSummary, string[]>()
  const lists = createTeamLists<StoredSummary>(store, {
    entriesMax,
    setTags: (entry, tags) => void tagsOf.set(entry, tags),
    entryOf(summary) {
      inMemory.add(summary)
      return summary
    },
    onDropped: (entries) => entries.forEach((entry) => expect(inMemory.delete(entry)).toBe(true)),
  })
  return { store, lists, inMemory, tagsOf }
}

test.each([1, 2, 3])(
  'a list has what the store has after any change, of this process or another (seed %i)',
  async (seed) => {
    const { store, lists, inMemory, tagsOf } = start(30)
    const random = seededRandom(seed)
    const teams = await Promise.all(
      [1, 2].map(async () => {
        const team = await addTeam(store)
        return {
          teamId: team.id,
          mailboxes: await Promise.all(['a', 'b', 'c'].map((name) => addMailbox(store, team, name))),
        }
      }),
    )
    const newest = async (teamId: string, limit: number) =>
      (await store.listMessages({ teamId, oldestReceivedAt: 0, filter: {} }, { limit, before: null })).slice(0, limit)

    const changes = [
      async ({ mailboxes }: (typeof teams)[number]) => {
        const mailbox = random.pick(mailboxes)
        const many = 1 + random.below(random.chance(0.05) ? 60 : 8)
        for (let index = 0; index < many; index++) {
          await store.addMessage(mailbox, messageFor(mailbox, { receivedAt: 1_000 + random.below(200) }))
        }
      },
      async ({ teamId }: (typeof teams)[number]) => {
        const gone = (await newest(teamId, 20)).filter(() => random.chance(0.3))
        const positions = gone.map(({ position }) => position)
        if (positions.length > 0) await store.removeMessages(teamId, positions, 0)
        // Otherwise another process has deleted them.
        if (random.chance(0.5))
          lists.deleted(
            teamId,
            gone.map(({ id }) => id),
          )
      },
      async ({ mailboxes }: (typeof teams)[number]) => {
        if (mailboxes.length > 1 && random.chance(0.1)) await store.hideMailbox(mailboxes.pop()!, 0)
      },
      async ({ teamId }: (typeof teams)[number]) => {
        // Also older ones, which are not in the list.
        const tagged = (await newest(teamId, 50)).filter(() => random.chance(0.3))
        const tags = [`tag-${random.below(5)}`]
        const messages = tagged.map(({ position }) => ({ position, tags }))
        await store.setTags(teamId, messages, null)
      },
    ]
    let compared = 0
    for (let step = 0; step < 300; step++) {
      const team = random.pick(teams)
      await random.pick(changes)(team)
      if (random.chance(0.3)) continue
      const { entries } = await lists.read(team.teamId)
      const expected = (await newest(team.teamId, 30)).map(({ id }) => id)
      expect(entries.map(({ id }) => id).toReversed()).toEqual(expected)
      const tagged = await store.tagsAmong(
        team.teamId,
        entries.map(({ position }) => position),
      )
      const tags = new Map(tagged.map((one) => [one.position, one.tags]))
      expect(entries.map((entry) => tagsOf.get(entry))).toEqual(entries.map(({ position }) => tags.get(position)))
      compared += expected.length
    }
    expect(compared).toBeGreaterThan(1_000)
    expect(inMemory.size).toBeLessThanOrEqual(60)
  },
)

test('a list that has not changed costs one small query, and a new message one more', async () => {
  const { store, lists } = start(1_000)
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  for (let index = 0; index < 50; index++) await store.addMessage(mailbox, messageFor(mailbox))
  expect((await lists.read(team.id)).entries).toHaveLength(50)
  const reads = { list: vi.spyOn(store, 'listMessages'), follow: vi.spyOn(store, 'followMessages') }
  await lists.read(team.id)
  expect([reads.list.mock.calls.length, reads.follow.mock.calls.length]).toEqual([0, 0])
  await store.addMessage(mailbox, messageFor(mailbox))
  expect((await lists.read(team.id)).entries).toHaveLength(51)
  expect([reads.list.mock.calls.length, reads.follow.mock.calls.length]).toEqual([0, 1])
  const [{ id, position }] = (await lists.read(team.id)).entries.slice(-1) as [StoredSummary]
  await store.removeMessages(team.id, [position], 0)
  lists.deleted(team.id, [id])
  expect((await lists.read(team.id)).entries).toHaveLength(50)
  expect(reads.list).not.toHaveBeenCalled()
})

test('many set tags, also of one change, are all in a list', async () => {
  const { store, lists, tagsOf } = start(3_000)
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const count = 2_100
  await Promise.all(Array.from({ length: count }, () => store.addMessage(mailbox, messageFor(mailbox))))
  const set = (positions: number[], tags: string[]) =>
    store.setTags(
      team.id,
      positions.map((position) => ({ position, tags })),
      null,
    )
  const all = Array.from({ length: count }, (_, index) => index + 1)
  const shown = async () => (await lists.read(team.id)).entries.map((entry) => tagsOf.get(entry)?.join())
  await set(all, ['first'])
  expect(await shown()).toEqual(all.map(() => 'first'))
  await set(all, ['second'])
  await set([7], ['third'])
  expect(await shown()).toEqual(all.map((position) => (position === 7 ? 'third' : 'second')))
})

test('a search that its client leaves does not spoil the list', async () => {
  const { store, lists } = start(1_000)
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const add = (receivedAt: number) => store.addMessage(mailbox, messageFor(mailbox, { receivedAt }))
  for (const at of [3, 1]) await add(at)
  await lists.read(team.id)
  await add(2)
  await expect(
    lists.read(team.id, () => {
      throw new Error('gone')
    }),
  ).rejects.toThrow('gone')
  expect((await lists.read(team.id)).entries.map(({ receivedAt }) => receivedAt)).toEqual([1, 2, 3])
})
