import { describe, expect, test } from 'vitest'
import { addTeam } from './store-contract.ts'
import type { Store } from './store.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const PLENTY = 100

/** What every store must do with caught domains. */
export function describeCaughtDomains(open: () => Promise<Store>): void {
  describe('caught domains', () => {
    test('are listed newest first, name their team, and can be removed by it alone', async () => {
      const store = await open()
      const team = await addTeam(store)
      const { id: teamId } = team
      const stranger = await addTeam(store)
      const [older, newer] = [`gmail.${teamId}.test`, `corp.${teamId}.test`]
      expect(await store.findCatchingTeam(older)).toBeNull()
      expect(await store.addCaughtDomain({ teamId, domain: older, caughtAt: NOW }, PLENTY)).toBe('added')
      expect(await store.addCaughtDomain({ teamId, domain: newer, caughtAt: NOW + 1 }, PLENTY)).toBe('added')
      expect(await store.addCaughtDomain({ teamId, domain: older, caughtAt: NOW + 2 }, PLENTY)).toBe('known')
      expect(await store.listCaughtDomains(teamId)).toEqual([
        { teamId, domain: newer, caughtAt: NOW + 1 },
        { teamId, domain: older, caughtAt: NOW },
      ])
      expect(await store.findCatchingTeam(older)).toEqual(team)
      expect(await store.findCatchingTeam(`mail.${older}`)).toBeNull()

      expect(await store.listCaughtDomains(stranger.id)).toEqual([])
      expect(await store.removeCaughtDomain({ teamId: stranger.id, domain: older })).toBe(false)
      expect(await store.removeCaughtDomain({ teamId, domain: older })).toBe(true)
      expect(await store.removeCaughtDomain({ teamId, domain: older })).toBe(false)
      expect(await store.findCatchingTeam(older)).toBeNull()
      expect(await store.findCatchingTeam(newer)).toEqual(team)
    })

    test('concurrent additions never exceed the limit', async () => {
      const store = await open()
      const { id: teamId } = await addTeam(store)
      const domains = Array.from({ length: 8 }, (_, index) => `d${index}.${teamId}.test`)
      const added = await Promise.all(
        domains.map((domain) => store.addCaughtDomain({ teamId, domain, caughtAt: NOW }, 5)),
      )
      expect(added.toSorted()).toEqual([...Array<string>(5).fill('added'), ...Array<string>(3).fill('limit')])
      const listed = await store.listCaughtDomains(teamId)
      expect(listed).toHaveLength(5)
      // A domain on the full list is still known.
      expect(await store.addCaughtDomain(listed[0]!, 5)).toBe('known')
      expect(await store.removeCaughtDomain(listed[0]!)).toBe(true)
      expect(await store.addCaughtDomain(listed[0]!, 5)).toBe('added')
    })
  })
}
