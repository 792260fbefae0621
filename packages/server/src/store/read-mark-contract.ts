import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import type { SearchWords } from '../domain/search-words.ts'
import type { Mailbox } from './mailboxes.ts'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'
import type { Store } from './store.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const EVERYTHING = { since: 0, limit: 1_000 }

/** What every store must do with read marks. */
export function describeReadMarks(open: () => Promise<Store>): void {
  async function start(count: number) {
    const store = await open()
    const team = await addTeam(store)
    const mailbox = await addMailbox(store, team, 'qa')
    const messages = Array.from({ length: count }, (_, index) => messageFor(mailbox, { receivedAt: NOW + index }))
    for (const message of messages) await store.addMessage(mailbox, message)
    const view = { teamId: team.id, oldestReceivedAt: 0 }
    const positions = messages.map((_, index) => index + 1)
    return { store, team, mailbox, messages, view, read: () => store.readAmong(team.id, positions) }
  }

  describe('read marks', () => {
    test('a new message is unread; a mark is for the whole team and can be taken back', async () => {
      const { store, team, mailbox, view, read } = await start(3)
      expect(await store.countUnread(view)).toBe(3)
      expect(await store.markMessages(team.id, [1, 3, 99], true)).toBe(2)
      expect(await store.markMessages(team.id, [1, 3], true)).toBe(0)
      expect(await read()).toEqual([1, 3])
      expect(await store.countUnread(view)).toBe(1)
      expect(await store.countInMailbox(mailbox, EVERYTHING)).toEqual({ total: 3, unread: 1 })
      expect(await store.markMessages(team.id, [3], false)).toBe(1)
      expect(await read()).toEqual([1])
      expect(await store.countUnread(view)).toBe(2)
    })

    test('all messages up to a position are read at once, and later ones stay unread', async () => {
      const { store, team, mailbox, view, read } = await start(5)
      await store.markMessages(team.id, [1, 5], true)
      await store.markAllRead(team.id, 3)
      expect(await read()).toEqual([1, 2, 3, 5])
      expect(await store.countUnread(view)).toBe(1)
      await store.markMessages(team.id, [2], false)
      expect(await read()).toEqual([1, 3, 5])
      expect(await store.countUnread(view)).toBe(2)
      // Earlier than the last time: takes no mark back.
      await store.markAllRead(team.id, 1)
      expect(await read()).toEqual([1, 3, 5])
      expect(await store.countUnread(view)).toBe(2)
      await store.markAllRead(team.id, 5)
      expect(await read()).toEqual([1, 2, 3, 4, 5])
      await store.addMessage(mailbox, messageFor(mailbox))
      expect(await store.countUnread(view)).toBe(1)
    })

    test('messages and marks of another team stay as they are', async () => {
      const { store, read } = await start(2)
      const stranger = await addTeam(store)
      expect(await store.markMessages(stranger.id, [1, 2], true)).toBe(0)
      await store.markAllRead(stranger.id, 2)
      expect(await read()).toEqual([])
    })

    test('changes since a state are listed with their current value', async () => {
      const { store, team, messages } = await start(4)
      const before = await store.markState(team.id)
      const changes = (limit = 10) => store.changedMarks(team.id, { after: before.version, limit })
      expect(await changes()).toEqual([])
      await store.markMessages(team.id, [1], true)
      await store.markMessages(team.id, [2], true)
      await store.markMessages(team.id, [1], false)
      expect(await changes()).toEqual([
        { id: messages[1]!.id, isRead: true },
        { id: messages[0]!.id, isRead: false },
      ])
      expect(await changes(1)).toHaveLength(1)
      const { version, readThrough } = await store.markState(team.id)
      expect([version > before.version, readThrough]).toEqual([true, 0])
      await store.markAllRead(team.id, 4)
      expect((await store.markState(team.id)).readThrough).toBe(4)
    })

    test('a message marked as unread again is reported as read when all are marked again', async () => {
      const { store, team, messages } = await start(2)
      await store.markAllRead(team.id, 2)
      await store.markMessages(team.id, [1], false)
      const { version, readThrough } = await store.markState(team.id)
      await store.markAllRead(team.id, 2)
      expect(await store.changedMarks(team.id, { after: version, limit: 10 })).toEqual([
        { id: messages[0]!.id, isRead: true },
      ])
      expect((await store.markState(team.id)).readThrough).toBe(readThrough)
    })

    test('expired messages that are not deleted yet count neither as read nor as unread', async () => {
      const { store, team, mailbox, view } = await start(4)
      await store.markMessages(team.id, [1, 4], true)
      const late = { ...view, oldestReceivedAt: NOW + 2 }
      expect(await store.countUnread(late)).toBe(1)
      expect(await store.countInMailbox(mailbox, { since: NOW + 2, limit: 10 })).toEqual({ total: 2, unread: 1 })
      expect(await store.countInMailbox(mailbox, { since: 0, limit: 1 })).toEqual({ total: 1, unread: 0 })
    })

    test('the state of a team changes with its messages, hidden mailboxes and marks', async () => {
      const { store, team, mailbox } = await start(3)
      const other = await addMailbox(store, team, 'other')
      await store.addMessage(other, messageFor(other))
      const first = await store.messageState(team.id)
      expect(first).toMatchObject({ newestPosition: 4, count: 4 })
      expect(await store.messageState(team.id)).toEqual(first)
      await store.markMessages(team.id, [2], true)
      const marked = await store.messageState(team.id)
      expect(marked.markVersion).toBeGreaterThan(first.markVersion)
      await store.markAllRead(team.id, 4)
      expect((await store.messageState(team.id)).markVersion).toBeGreaterThan(marked.markVersion)
      await store.removeMessages(team.id, [4, 3], NOW)
      expect(await store.messageState(team.id)).toMatchObject({ newestPosition: 4, count: 2 })
      await store.hideMailbox(mailbox, NOW)
      expect(await store.messageState(team.id)).toMatchObject({ newestPosition: 4, count: 0 })
      expect(await store.messageState('unknown')).toEqual({
        newestPosition: 0,
        count: 0,
        markVersion: 0,
        tagVersion: 0,
      })
    })

    test('the position passes read messages in steps, and stops before many unread ones', async () => {
      const { store, team, view, read } = await start(6)
      await store.markMessages(team.id, [1, 2, 4], true)
      const advance = () => store.advanceReadThrough(team.id, { step: 2, upTo: 6, unreadMax: 1 })
      expect([await advance(), await advance(), await advance()]).toEqual([true, true, false])
      expect((await store.markState(team.id)).readThrough).toBe(4)
      expect(await read()).toEqual([1, 2, 4])
      expect(await store.countUnread(view)).toBe(3)
      await store.markMessages(team.id, [3, 5, 6], true)
      expect([await advance(), await advance()]).toEqual([true, false])
      expect((await store.markState(team.id)).readThrough).toBe(6)
      expect(await store.countUnread(view)).toBe(0)
    })

    test('a message that was deleted is known to its team only', async () => {
      const { store, team, messages } = await start(2)
      const [gone, kept] = messages
      const stranger = await addTeam(store)
      await store.removeMessages(team.id, [1], NOW)
      expect(await store.hasSeen({ teamId: team.id, id: gone!.id })).toBe(true)
      expect(await store.hasSeen({ teamId: stranger.id, id: gone!.id })).toBe(false)
      expect(await store.hasSeen({ teamId: stranger.id, id: kept!.id })).toBe(false)
    })

    // A fixed seed, because the store contract runs on both databases and must do the same there.
    test('counts equal those of a simple model after random changes (seed 17)', async () => {
      await compareWithModel(await open(), { seed: 17, steps: 150 })
    })
  })
}

type Kept = { id: string; position: number; mailbox: Mailbox; isRead: boolean; isShownRead: boolean }

/**
 * Adds, marks, deletes and hides at random. After each step, compares all counts, both searches by mark, and what a page
 * shows that follows the changes.
 */
export async function compareWithModel(store: Store, { seed, steps }: { seed: number; steps: number }): Promise<void> {
  const random = seededRandom(seed)
  const team = await addTeam(store)
  const mailboxes = [await addMailbox(store, team, 'box-0'), await addMailbox(store, team, 'box-1')]
  let kept: Kept[] = []
  let last = 0
  let boxes = mailboxes.length

  async function add(): Promise<void> {
    const mailbox = random.pick(mailboxes)
    const message = messageFor(mailbox)
    await store.addMessage(mailbox, message)
    kept.push({ id: message.id, position: ++last, mailbox, isRead: false, isShownRead: false })
  }

  let followed = await store.markState(team.id)
  async function follow(): Promise<void> {
    const state = await store.markState(team.id)
    const changed = await store.changedMarks(team.id, { after: followed.version, limit: 1_000 })
    for (const one of kept) {
      if (state.readThrough !== followed.readThrough && one.position <= state.readThrough) one.isShownRead = true
      one.isShownRead = changed.find(({ id }) => id === one.id)?.isRead ?? one.isShownRead
    }
    followed = state
  }

  const some = () => kept.filter(() => random.chance(0.3)).map(({ position }) => position)

  const actions = {
    add,
    addAgain: add,
    async mark() {
      const positions = some()
      if (positions.length === 0) return
      const isRead = random.chance(0.6)
      const changed = kept.filter((one) => positions.includes(one.position) && one.isRead !== isRead)
      for (const one of changed) one.isRead = isRead
      expect(await store.markMessages(team.id, positions, isRead)).toBe(changed.length)
    },
    async markAll() {
      await store.markAllRead(team.id, last)
      for (const one of kept) one.isRead = true
    },
    async advance() {
      await store.advanceReadThrough(team.id, { step: 1 + random.below(8), upTo: last, unreadMax: random.below(4) })
    },
    async remove() {
      const positions = some()
      if (positions.length === 0) return
      await store.removeMessages(team.id, positions, NOW)
      kept = kept.filter(({ position }) => !positions.includes(position))
    },
    async hide() {
      if (!random.chance(0.3)) return
      const index = random.below(mailboxes.length)
      const { id } = mailboxes[index]!
      await store.hideMailbox({ teamId: team.id, id }, NOW)
      kept = kept.filter(({ mailbox }) => mailbox.id !== id)
      mailboxes[index] = await addMailbox(store, team, `box-${++boxes}`)
    },
  }

  for (let step = 0; step < steps; step++) {
    const name = random.pick(Object.keys(actions) as (keyof typeof actions)[])
    await actions[name]()
    const unread = kept.filter(({ isRead }) => !isRead)
    const what = `seed ${seed}, step ${step}, ${name}`
    const view = { teamId: team.id, oldestReceivedAt: 0 }
    expect(await store.countUnread(view), what).toBe(unread.length)
    expect(await store.countMessages({ ...view, filter: {} }), what).toBe(kept.length)
    const read = kept.filter(({ isRead }) => isRead).map(({ position }) => position)
    const positions = kept.map(({ position }) => position)
    const found = positions.length > 0 ? await store.readAmong(team.id, positions) : []
    expect(
      found.sort((one, other) => one - other),
      what,
    ).toEqual(read)
    await follow()
    expect(
      kept.filter(({ isShownRead }) => isShownRead).map(({ position }) => position),
      `${what}, followed`,
    ).toEqual(read)
    expect(await positionsWith(store, team.id, { isUnread: true }), what).toEqual(
      unread.map(({ position }) => position),
    )
    const withoutUnread = { without: [{ filter: {}, words: { isUnread: true } as const }] }
    expect(await positionsWith(store, team.id, withoutUnread), what).toEqual(read)
    for (const mailbox of mailboxes) {
      const own = kept.filter((message) => message.mailbox.id === mailbox.id)
      const counts = { total: own.length, unread: own.filter(({ isRead }) => !isRead).length }
      expect(await store.countInMailbox(mailbox, EVERYTHING), what).toEqual(counts)
    }
  }
}

async function positionsWith(store: Store, teamId: string, words: SearchWords): Promise<number[]> {
  const view = { teamId, oldestReceivedAt: 0, filter: {}, words }
  const found = await store.followMessages(view, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1_000 })
  return found.map(({ position }) => position)
}
