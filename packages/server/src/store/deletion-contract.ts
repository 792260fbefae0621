import { describe, expect, test } from 'vitest'
import type { Role } from './accounts.ts'
import type { Team } from './mailboxes.ts'
import { addMailbox, addTeam, messageFor, newId } from './store-contract.ts'
import type { Store } from './store.ts'
import { newEndpoint } from './webhook-contract.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')

/** What every store must do when teams and users are deleted. */
export function describeDeletion(open: () => Promise<Store>): void {
  async function addUser(store: Store, team: Team | null, role: Role) {
    const id = newId()
    const user = { id, email: `${id}@corp.example`, name: '', teamId: team?.id ?? null, role: team && role }
    const added = { ...user, passwordHash: null, emailCheckedAt: NOW, createdAt: NOW }
    expect(await store.addUser(added)).toBe('added')
    return user
  }

  async function addKey(store: Store, { id: teamId }: Team, createdBy: string | null) {
    const id = newId()
    const key = { id, teamId, name: 'Key', masked: 'mh_…', scopes: ['api.full' as const], mailboxId: null }
    await store.addKey({ ...key, expiresAt: null, createdAt: NOW, hash: id, createdBy })
    return key
  }

  /** A team with one of everything. */
  async function grow(store: Store) {
    const team = await addTeam(store)
    const mailbox = await addMailbox(store, team, 'qa')
    const message = messageFor(mailbox)
    await store.addMessage(mailbox, message)
    const owner = await addUser(store, team, 'owner')
    const member = await addUser(store, team, 'member')
    const key = await addKey(store, team, member.id)
    const endpoint = await store.addEndpoint(newEndpoint(team.id), 20)
    if (typeof endpoint === 'string') throw new Error(endpoint)
    const invite = { id: newId(), teamId: team.id, email: 'bob@corp.example', invitedBy: owner.id }
    const limits = { membersMax: null, invitesMax: 9 }
    expect(await store.addInvite({ ...invite, createdAt: NOW, expiresAt: NOW + 1_000 }, limits)).toBe('added')
    const rejection = { at: NOW, from: '', to: `x@${team.domain}`, code: '550', reason: 'No' }
    await store.addRejections([{ ...rejection, domain: team.domain! }])
    await store.addCaughtDomain({ teamId: team.id, domain: caughtBy(team), caughtAt: NOW }, 1)
    return { team, mailbox, message, owner, member, key, endpoint }
  }

  describe('deleting a team', () => {
    test('ends all access at once; the rest is deleted step by step, and other teams stay', async () => {
      const store = await open()
      const { team, mailbox, message, owner, key, endpoint } = await grow(store)
      const other = await grow(store)
      expect(await store.closeTeam(team.id, NOW)).toEqual({ members: 2, keys: 1 })
      expect(await store.findPrincipal(key.id)).toBeNull()
      expect(await store.findInbox({ domain: team.domain!, mailbox: 'qa' })).toBeNull()
      expect(await store.findCatchingTeam(caughtBy(team))).toBeNull()
      expect(await store.findCatchingTeam(caughtBy(other.team))).toEqual(other.team)
      expect(await store.listMembers(team.id)).toEqual([])
      expect(await store.listEndpoints(team.id)).toEqual([])
      expect(await store.listInvites({ teamId: team.id }, NOW)).toEqual([])
      expect(await store.findUser({ id: owner.id })).toMatchObject({ teamId: null, role: null })
      // Mail that was resolved before still finds the mailbox, so the team is not empty.
      expect(await store.dropTeam(team.id)).toBe(false)
      expect(await store.findTeam(team.id)).toMatchObject({ domain: null })

      expect(await store.hideMailbox({ teamId: team.id, id: mailbox.id }, NOW)).toBe(true)
      await store.removeMessages(team.id, [1], NOW)
      await store.dropMailbox(mailbox)
      while (await store.emptySomeOfEndpoint({ teamId: team.id, id: endpoint.id }, 100));
      expect(await store.dropTeam(team.id)).toBe(true)
      expect(await store.dropTeam(team.id)).toBe(false)
      expect(await store.findTeam(team.id)).toBeNull()
      const left = await store.objectsLeft(team.id, { before: NOW + 1, after: null, limit: 10 })
      expect(left).toEqual([{ id: message.id, domain: team.domain, mailbox: 'qa' }])
      // A sweep still finds what the team has left behind.
      expect(await store.teamsWithObjectsLeft(NOW + 1)).toContain(team.id)
      expect(await store.teamsWithObjectsLeft(NOW)).not.toContain(team.id)
      // Also if the team was a holder of an address long before its last message was deleted.
      await store.forgetHolders(NOW + 1)
      expect(await store.teamsWithRemoved()).toContain(team.id)
      await store.recordObjectsGone(team.id, [message.id])
      expect(await store.forgetRemoved(team.id, { before: NOW + 1, limit: 10 })).toBe(1)
      expect(await store.teamsWithRemoved()).not.toContain(team.id)

      expect(await store.listMembers(other.team.id)).toHaveLength(2)
      expect(await store.listEndpoints(other.team.id)).toHaveLength(1)
      expect(await store.listInvites({ teamId: other.team.id }, NOW)).toHaveLength(1)
      expect(await store.listRejections(other.team.id, { since: 0, limit: 9 })).toHaveLength(1)
      expect(await store.findPrincipal(other.key.id)).not.toBeNull()
      expect(await store.findInbox({ domain: other.team.domain!, mailbox: 'qa' })).not.toBeNull()
      // The domain is free again.
      expect((await addTeam(store, { domain: team.domain })).domain).toBe(team.domain)
      expect(await store.findInbox({ domain: team.domain!, mailbox: 'qa' })).toMatchObject({ mailbox: null })
    })
  })

  describe('deleting a user', () => {
    test('also deletes the keys they created, and nothing of others', async () => {
      const store = await open()
      const { team, owner, member, key } = await grow(store)
      const kept = await addKey(store, team, owner.id)
      expect(await store.removeUser(member)).toEqual([key.id])
      expect(await store.findUser({ id: member.id })).toBeNull()
      expect(await store.findPrincipal(key.id)).toBeNull()
      expect(await store.findPrincipal(kept.id)).not.toBeNull()
      expect(await store.removeUser(member)).toBe('gone')
    })

    test('a team keeps its last owner, also with concurrent requests', async () => {
      const store = await open()
      const { team, owner } = await grow(store)
      expect(await store.removeUser(owner)).toBe('last owner')
      const second = await addUser(store, team, 'owner')
      const outcomes = await Promise.all([owner, second].map((one) => store.removeUser(one)))
      expect(outcomes.filter((outcome) => outcome === 'last owner')).toHaveLength(1)
      expect((await store.listMembers(team.id)).filter(({ role }) => role === 'owner')).toHaveLength(1)
    })

    test('without a team, or no longer in the team that was read', async () => {
      const store = await open()
      const { member } = await grow(store)
      expect(await store.removeUser({ ...member, teamId: null })).toBe('gone')
      expect(await store.findUser({ id: member.id })).not.toBeNull()
      expect(await store.removeUser(await addUser(store, null, 'member'))).toEqual([])
    })
  })
}

function caughtBy({ id }: Team): string {
  return `caught.${id}.test`
}
