import { describe, expect, test } from 'vitest'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'
import type { Store } from './store.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const START = { version: 0, position: 0 }

/** What every store must do with tags that are set. */
export function describeMessageTags(open: () => Promise<Store>): void {
  async function start(count: number) {
    const store = await open()
    const team = await addTeam(store)
    const mailbox = await addMailbox(store, team, 'qa')
    for (let index = 0; index < count; index++) await store.addMessage(mailbox, messageFor(mailbox))
    const tagged = async (positions = [1, 2, 3, 4]) =>
      Object.fromEntries((await store.tagsAmong(team.id, positions)).map(({ position, tags }) => [position, tags]))
    const set = (positions: number[], tags: string[], ifVersion: number | null = null) =>
      store.setTags(
        team.id,
        positions.map((position) => ({ position, tags })),
        ifVersion,
      )
    return { store, team, mailbox, tagged, set }
  }

  describe('tags that are set', () => {
    test('tags are set and replaced, also by none, for messages that exist', async () => {
      const { store, team, tagged, set } = await start(3)
      expect(await tagged()).toEqual({})
      expect(await set([1, 3, 99], ['blue', 'Red "1"'])).toBe(true)
      expect(await tagged()).toEqual({ 1: ['blue', 'Red "1"'], 3: ['blue', 'Red "1"'] })
      const several = [
        { position: 1, tags: ['a'] },
        { position: 2, tags: ['b'] },
        { position: 3, tags: [] },
      ]
      expect(await store.setTags(team.id, several, null)).toBe(true)
      expect(await tagged()).toEqual({ 1: ['a'], 2: ['b'], 3: [] })
      expect(await tagged([2])).toEqual({ 2: ['b'] })
      expect(await tagged([])).toEqual({})
    })

    test('tags are set only if none were set since they were read', async () => {
      const { store, team, tagged, set } = await start(2)
      const { tagVersion } = await store.messageState(team.id)
      expect(await set([1], ['first'], tagVersion)).toBe(true)
      expect(await set([1, 2], ['second'], tagVersion)).toBe(false)
      expect(await tagged()).toEqual({ 1: ['first'] })
      expect(await set([2], ['second'], tagVersion + 1)).toBe(true)
      const outcomes = await Promise.all(['x', 'y', 'z'].map((tag) => set([1], [tag], tagVersion + 2)))
      expect(outcomes.filter((isSet) => isSet)).toHaveLength(1)
    })

    test('changes are listed in pages, oldest first, each message with its last one', async () => {
      const { store, team, mailbox, set } = await start(4)
      const before = await store.messageState(team.id)
      await set([4, 2, 1], ['a'])
      await set([2], ['b'])
      await store.addMessage(mailbox, messageFor(mailbox))
      await store.markMessages(team.id, [1], true)
      const after = await store.messageState(team.id)
      expect(after.tagVersion).toBe(before.tagVersion + 2)
      const [first, second] = [before.tagVersion + 1, before.tagVersion + 2]
      const changes = [
        { position: 1, tags: ['a'], version: first },
        { position: 4, tags: ['a'], version: first },
        { position: 2, tags: ['b'], version: second },
      ]
      const list = (place: { version: number; position: number }, limit = 10) =>
        store.changedTags(team.id, { after: place, limit })
      expect(await list(START)).toEqual(changes)
      expect(await list(START, 1)).toEqual(changes.slice(0, 1))
      expect(await list(changes[0]!)).toEqual(changes.slice(1))
      expect(await list({ version: first, position: 5 })).toEqual(changes.slice(2))
      expect(await list({ version: second, position: 5 })).toEqual([])
    })

    test('tags are deleted with their message, and those of a hidden mailbox are not set', async () => {
      const { store, team, mailbox, tagged, set } = await start(3)
      await set([1, 2], ['a'])
      await store.removeMessages(team.id, [1], NOW)
      expect(await tagged()).toEqual({ 2: ['a'] })
      expect(await store.changedTags(team.id, { after: START, limit: 10 })).toHaveLength(1)
      await store.hideMailbox(mailbox, NOW)
      await set([3], ['b'])
      expect(await tagged([3])).toEqual({})
    })

    test('messages and tags of another team stay as they are', async () => {
      const { store, tagged, set } = await start(2)
      await set([1], ['ours'])
      const stranger = await addTeam(store)
      await store.setTags(stranger.id, [{ position: 1, tags: ['theirs'] }], null)
      expect(await tagged()).toEqual({ 1: ['ours'] })
      expect(await store.tagsAmong(stranger.id, [1])).toEqual([])
      expect(await store.changedTags(stranger.id, { after: START, limit: 10 })).toEqual([])
      expect(await store.setTags('unknown', [{ position: 1, tags: ['x'] }], null)).toBe(false)
    })

    test('the tag of an address stays, and finds its messages', async () => {
      const { store, team, mailbox, set } = await start(0)
      const message = messageFor(mailbox, { tag: 'login' })
      await store.addMessage(mailbox, message)
      await set([1], ['other'])
      const find = async (tag: string) => {
        const view = { teamId: team.id, oldestReceivedAt: 0, filter: { tag } }
        return (await store.listMessages(view, { limit: 10, before: null })).map(({ id }) => id)
      }
      expect(await find('login')).toEqual([message.id])
      expect(await find('other')).toEqual([])
    })
  })
}
