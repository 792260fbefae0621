import { describe, expect, test } from 'vitest'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'
import type { NewMessage } from './messages.ts'
import type { Store } from './store.ts'
import { attemptOf, eventFor, newEndpoint, NOW, startWebhooks, testFor } from './webhook-contract.ts'
import type { OldSecret } from './webhooks.ts'

/** What every store must do for endpoints, and for the deliveries written with a message. */
export function describeEndpoints(open: () => Promise<Store>): void {
  const start = () => startWebhooks(open)

  describe('endpoints', () => {
    test('an endpoint is returned as it was stored, newest first', async () => {
      const { store, team, addEndpoint } = await start()
      const first = await addEndpoint({ description: 'Grüße', mailbox: 'qa', tag: 'login' })
      const second = await addEndpoint({ createdAt: NOW + 1 })
      expect(first).toMatchObject({ isActive: true, disabledReason: null, failingSince: null, oldSecrets: [] })
      expect(await store.listEndpoints(team.id)).toEqual([second, first])
      expect(await store.findEndpoint({ teamId: team.id, id: first.id })).toEqual(first)
      const stranger = await addTeam(store)
      expect(await store.findEndpoint({ teamId: stranger.id, id: first.id })).toBeNull()
      expect(await store.listEndpoints(stranger.id)).toEqual([])
    })

    test('concurrent creation respects the limit, and creates one endpoint per URL', async () => {
      const { store, team } = await start()
      const many = await Promise.all(Array.from({ length: 8 }, () => store.addEndpoint(newEndpoint(team.id), 5)))
      expect(many.filter((added) => added === 'limit')).toHaveLength(3)
      expect(await store.listEndpoints(team.id)).toHaveLength(5)
      const url = 'https://shop.example/same'
      const same = await Promise.all(
        Array.from({ length: 4 }, () => store.addEndpoint({ ...newEndpoint(team.id), url }, 20)),
      )
      expect(same.filter((added) => added === 'exists')).toHaveLength(3)
      const stranger = await addTeam(store)
      expect(await store.addEndpoint({ ...newEndpoint(stranger.id), url }, 20)).toMatchObject({ url })
    })

    test('an omitted field stays unchanged', async () => {
      const { store, team, addEndpoint } = await start()
      const { id } = await addEndpoint({ description: 'old' })
      const where = { teamId: team.id, id }
      expect(await store.updateEndpoint(where, { description: null }, NOW + 1)).toMatchObject({
        description: null,
        isActive: true,
        updatedAt: NOW + 1,
      })
      expect(await store.updateEndpoint(where, { url: 'https://shop.example/new' }, NOW)).toMatchObject({
        url: 'https://shop.example/new',
      })
      const { url } = await addEndpoint()
      expect(await store.updateEndpoint(where, { url }, NOW)).toBe('exists')
      expect(await store.updateEndpoint({ ...where, teamId: 'another' }, { isActive: false }, NOW)).toBeNull()
      expect(await store.findEndpoint(where)).toMatchObject({ url: 'https://shop.example/new', isActive: true })
    })

    test('a secret is replaced only if the old one matches, and old secrets are kept', async () => {
      const { store, team, addEndpoint } = await start()
      const { id, secret } = await addEndpoint()
      const where = { teamId: team.id, id }
      const rotate = (replaced: string, name: string, oldSecrets: OldSecret[]) =>
        store.rotateEndpointSecret(where, { replaced, secret: name, secretMasked: `${name}…`, oldSecrets, at: NOW })
      const first = { secret, until: NOW + 9 }
      const both = await Promise.all(['one', 'other'].map((name) => rotate(secret, name, [first])))
      expect(both.sort()).toEqual([false, true])
      const { secret: second } = (await store.findEndpoint(where))!
      const oldSecrets = [first, { secret: second, until: NOW + 10 }]
      expect(await rotate(second, 'third', oldSecrets)).toBe(true)
      expect(await store.findEndpoint(where)).toMatchObject({ secret: 'third', oldSecrets, secretMasked: 'third…' })
      await store.hideEndpoint(where, NOW)
      expect(await rotate('third', 'fourth', [])).toBe(false)
    })

    test('a deleted endpoint disappears at once, its deliveries in steps, and its URL is free', async () => {
      const { store, team, addEndpoint, deliver, list, lease } = await start()
      const { id, url } = await addEndpoint()
      await deliver([id], 3)
      const where = { teamId: team.id, id }
      expect(await store.hideEndpoint({ ...where, teamId: 'another' }, NOW)).toBe(false)
      expect(await store.hideEndpoint(where, NOW)).toBe(true)
      expect(await store.hideEndpoint(where, NOW)).toBe(false)
      expect(await store.findEndpoint(where)).toBeNull()
      expect(await store.listEndpoints(team.id)).toEqual([])
      expect(await lease()).toEqual([])
      expect(await store.removedEndpoints(team.id)).toEqual([id])
      await addEndpoint({ url })
      expect(await store.emptySomeOfEndpoint(where, 2)).toBe(true)
      expect(await list(id)).toHaveLength(1)
      expect(await store.emptySomeOfEndpoint(where, 2)).toBe(true)
      expect(await store.emptySomeOfEndpoint(where, 2)).toBe(false)
      expect(await store.removedEndpoints(team.id)).toEqual([])
      expect(await store.listEndpoints(team.id)).toMatchObject([{ url }])
    })

    test('an endpoint that is deleted during a test leaves nothing behind', async () => {
      const { store, team, addEndpoint, list } = await start()
      async function testUntilGone(id: string): Promise<void> {
        while (await store.addTestDelivery(testFor({ teamId: team.id, id }))) recorded += 1
      }
      async function remove(id: string): Promise<void> {
        await store.hideEndpoint({ teamId: team.id, id }, NOW)
        while (await store.emptySomeOfEndpoint({ teamId: team.id, id }, 100));
      }
      let recorded = 0
      for (let round = 1; round <= 100; round += 1) {
        const { id } = await addEndpoint()
        await Promise.all([...Array.from({ length: 5 }, () => testUntilGone(id)), remove(id)])
        expect(await list(id)).toEqual([])
      }
      expect(recorded).toBeGreaterThan(0)
      expect(await store.removedEndpoints(team.id)).toEqual([])
    })
  })

  describe('deliveries', () => {
    test.each([
      [{}, ['qa+login', 'qa', 'dev+login']],
      [{ mailbox: 'qa' }, ['qa+login', 'qa']],
      [{ tag: 'login' }, ['qa+login', 'dev+login']],
      [{ mailbox: 'qa', tag: 'login' }, ['qa+login']],
      [{ mailbox: 'dev', tag: 'other' }, []],
    ])('an endpoint for %o receives %o', async (filter, expected) => {
      const { store, team, addEndpoint } = await start()
      const { id } = await addEndpoint(filter)
      const heard = []
      for (const [mailbox, tag] of [
        ['qa', 'login'],
        ['qa', null],
        ['dev', 'login'],
      ] as const) {
        const listeners = await store.findListeners(team.id, { mailbox, tag })
        if (listeners.some(({ endpointId }) => endpointId === id)) heard.push(tag ? `${mailbox}+${tag}` : mailbox)
      }
      expect(heard).toEqual(expected)
      await store.updateEndpoint({ teamId: team.id, id }, { isActive: false }, NOW)
      expect(await store.findListeners(team.id, { mailbox: 'qa', tag: 'login' })).toEqual([])
    })

    test('the inbox says whether there are endpoints', async () => {
      const { store, team, addEndpoint } = await start()
      const where = { domain: team.domain!, mailbox: 'qa' }
      const atRoot = { domain: `root.${team.domain}`, mailbox: 'shared' }
      await addMailbox(store, { ...team, domain: atRoot.domain }, 'shared')
      expect(await store.findInbox(where)).toMatchObject({ hasEndpoints: false })
      expect(await store.findRootInbox(atRoot)).toMatchObject({ hasEndpoints: false, mailbox: { name: 'shared' } })
      const { id } = await addEndpoint()
      expect(await store.findInbox(where)).toMatchObject({ hasEndpoints: true })
      expect(await store.findRootInbox(atRoot)).toMatchObject({ hasEndpoints: true })
      await store.updateEndpoint({ teamId: team.id, id }, { isActive: false }, NOW)
      expect(await store.findInbox(where)).toMatchObject({ hasEndpoints: false })
      expect(await store.findRootInbox({ ...atRoot, mailbox: 'none' })).toBeNull()
    })

    test('a message announced concurrently is delivered once to each endpoint', async () => {
      const { store, mailbox, addEndpoint, list } = await start()
      const endpoints = [await addEndpoint(), await addEndpoint()]
      const message = messageFor(mailbox)
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => store.addMessage(mailbox, message, eventFor(endpoints.map(({ id }) => id)))),
      )
      expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(9)
      for (const { id } of endpoints)
        expect(await list(id)).toMatchObject([{ messageId: message.id, status: 'pending' }])
    })

    test('an endpoint added later does not receive messages that are announced again', async () => {
      const { store, mailbox, addEndpoint, list } = await start()
      const message = messageFor(mailbox)
      await store.addMessage(mailbox, message)
      const { id } = await addEndpoint()
      expect(await store.addMessage(mailbox, message, eventFor([id]))).toBe('duplicate')
      expect(await list(id)).toEqual([])
      await store.removeMessages(mailbox.teamId, [1], NOW)
      expect(await store.addMessage(mailbox, message, eventFor([id]))).toBe('duplicate')
      expect(await list(id)).toEqual([])
      expect(await store.addMessage(mailbox, messageFor(mailbox), eventFor([id]))).toBe(2)
      expect(await list(id)).toHaveLength(1)
    })

    test('an endpoint that was disabled, deleted or belongs to another team receives nothing', async () => {
      const { store, team, mailbox, addEndpoint, list } = await start()
      const stranger = await addTeam(store)
      const foreign = await store.addEndpoint(newEndpoint(stranger.id), 20)
      const [off, removed, on] = [await addEndpoint(), await addEndpoint(), await addEndpoint()]
      await store.updateEndpoint({ teamId: team.id, id: off.id }, { isActive: false }, NOW)
      await store.hideEndpoint({ teamId: team.id, id: removed.id }, NOW)
      const ids = [off, removed, foreign as typeof on, on].map(({ id }) => id)
      await store.addMessage(mailbox, messageFor(mailbox), eventFor(ids))
      expect(await Promise.all(ids.map(async (id) => (await list(id)).length))).toEqual([0, 0, 0, 1])
    })

    test('lists are newest first, paged by offset, and filtered by status', async () => {
      const { store, team, addEndpoint, deliver, lease } = await start()
      const { id } = await addEndpoint()
      const messages: NewMessage[] = []
      for (let second = 0; second < 5; second++) messages.push(...(await deliver([id])))
      const page = async (query: { limit: number; offset: number; status?: 'success' | 'failed' | 'pending' }) => {
        const found = await store.listDeliveries({ teamId: team.id, id }, { status: null, ...query })
        return found.map(({ messageId }) => messages.findIndex((message) => message.id === messageId))
      }
      expect(await page({ limit: 3, offset: 0 })).toEqual([4, 3, 2])
      expect(await page({ limit: 3, offset: 3 })).toEqual([1, 0])
      const [one, other] = await lease({ limit: 2 })
      await store.finishAttempt('one', attemptOf(one!))
      await store.finishAttempt('one', attemptOf(other!, { outcome: { status: 'failed' }, error: 'no' }))
      expect(await page({ limit: 9, offset: 0, status: 'success' })).toEqual([0])
      expect(await page({ limit: 9, offset: 0, status: 'failed' })).toEqual([1])
      expect(await page({ limit: 9, offset: 0, status: 'pending' })).toEqual([4, 3, 2])
    })
  })
}
