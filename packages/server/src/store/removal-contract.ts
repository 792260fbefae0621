import { describe, expect, test } from 'vitest'
import { addMailbox, addTeam, messageFor, newId } from './store-contract.ts'
import type { Mailbox } from './mailboxes.ts'
import type { NewMessage } from './messages.ts'
import type { Store } from './store.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')

/** What every store must do when messages and mailboxes are deleted or renamed. */
export function describeRemoval(open: () => Promise<Store>): void {
  async function start(inputs: Partial<NewMessage>[] = []) {
    const store = await open()
    const team = await addTeam(store)
    const mailbox = await addMailbox(store, team, 'qa')
    const view = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
    const messages = inputs.map((one) => messageFor(mailbox, one))
    for (const message of messages) await store.addMessage(mailbox, message)
    const subjects = async () => {
      const page = await store.listMessages(view, { limit: 100, before: null })
      return page.map(({ subject }) => subject)
    }
    return { store, team, mailbox, view, messages, subjects }
  }

  const objectOf = ({ id, domain }: NewMessage, mailbox = 'qa') => ({ id, domain, mailbox })

  describe('removal', () => {
    test('deleted messages disappear, are subtracted and remembered; the others stay', async () => {
      const { store, team, mailbox, view, messages, subjects } = await start([
        { subject: 'one' },
        { subject: 'two' },
        { subject: 'three' },
      ])
      const removed = await store.removeMessages(team.id, [1, 3, 99], NOW)
      expect(removed).toEqual([objectOf(messages[0]!), objectOf(messages[2]!)])
      expect(await subjects()).toEqual(['two'])
      expect(await store.countMessages(view)).toBe(1)
      expect(await store.removeMessages(team.id, [1, 3], NOW)).toEqual([])
      expect(await store.countMessages(view)).toBe(1)
      expect(await store.addMessage(mailbox, messages[0]!)).toBe('duplicate')
      expect(await subjects()).toEqual(['two'])
      // A position is never reused.
      expect(await store.addMessage(mailbox, messageFor(mailbox))).toBe(4)
    })

    test('positions of another team stay unchanged', async () => {
      const { store, subjects } = await start([{ subject: 'kept' }])
      const stranger = await addTeam(store)
      expect(await store.removeMessages(stranger.id, [1], NOW)).toEqual([])
      expect(await subjects()).toEqual(['kept'])
    })

    test('remaining objects are listed until they are recorded as deleted; ids are forgotten after that', async () => {
      const { store, team, mailbox, messages } = await start([{}, {}])
      await store.removeMessages(team.id, [1], NOW)
      await store.removeMessages(team.id, [2], NOW + 1)
      expect(await store.objectsLeft(team.id, { before: NOW, after: null, limit: 10 })).toEqual([])
      expect(await store.objectsLeft(team.id, { before: NOW + 1, after: null, limit: 10 })).toEqual([
        objectOf(messages[0]!),
      ])
      expect(await store.objectsLeft(team.id, { before: NOW + 2, after: null, limit: 1 })).toEqual([
        objectOf(messages[0]!),
      ])
      const rest = { before: NOW + 2, after: messages[0]!.id, limit: 10 }
      expect(await store.objectsLeft(team.id, rest)).toEqual([objectOf(messages[1]!)])
      await store.recordObjectsGone(team.id, [messages[0]!.id])
      expect(await store.objectsLeft(team.id, { before: NOW + 2, after: null, limit: 10 })).toEqual([
        objectOf(messages[1]!),
      ])
      // The second still has objects, so it is not forgotten.
      expect(await store.forgetRemoved(team.id, { before: NOW + 2, limit: 10 })).toBe(1)
      expect(await store.addMessage(mailbox, messages[1]!)).toBe('duplicate')
      expect(await store.addMessage(mailbox, messages[0]!)).toBe(3)
    })

    test('expired positions are returned oldest first, in pages', async () => {
      const { store, team } = await start([30, 10, 20, 40].map((receivedAt) => ({ receivedAt })))
      expect(await store.expiredPositions(team.id, { before: 40, limit: 2 })).toEqual([2, 3])
      expect(await store.expiredPositions(team.id, { before: 40, limit: 9 })).toEqual([2, 3, 1])
      expect(await store.expiredPositions(team.id, { before: 10, limit: 9 })).toEqual([])
    })
  })

  describe('mailboxes', () => {
    const mailboxNamed = ({ teamId, domain }: Mailbox, name: string): Mailbox => ({
      id: newId(),
      teamId,
      name,
      domain,
      createdAt: NOW,
      updatedAt: NOW,
    })

    test('limit: as many as the plan allows, also with concurrent requests', async () => {
      const { store, team, mailbox } = await start()
      const mailboxes = Array.from({ length: 20 }, (_, number) => mailboxNamed(mailbox, `box-${number}`))
      const outcomes = await Promise.all(mailboxes.map((one) => store.addMailbox(one, 5)))
      expect(outcomes.filter((outcome) => outcome === 'limit')).toHaveLength(16)
      expect(await store.listMailboxes(team.id)).toHaveLength(5)
      // An existing name is reported as taken, not as over the limit.
      expect(await store.addMailbox(mailboxNamed(mailbox, 'qa'), 5)).toBe('taken')
      expect(await store.addMailbox(mailboxNamed(mailbox, 'more'), null)).toMatchObject({ name: 'more' })
    })

    test('are not added to a domain that the team has left meanwhile', async () => {
      const { store, team, mailbox } = await start()
      const before = team.domain!
      expect(await store.addMailbox(mailboxNamed(mailbox, 'early'), null, before)).toMatchObject({ name: 'early' })
      const domain = `new.${before}`
      expect(await store.moveToDomain(team.id, { domain, isCustom: true, at: NOW })).toBe('moved')
      expect(await store.addMailbox(mailboxNamed(mailbox, 'late'), null, before)).toBe('moved')
      expect(await store.addMailbox(mailboxNamed(mailbox, 'late'), 9, null)).toBe('moved')
      expect((await store.listMailboxes(team.id)).map((one) => one.domain)).toEqual([domain, domain])
      const there = { ...mailboxNamed(mailbox, 'late'), domain }
      expect(await store.addMailbox(there, 9, domain)).toEqual(there)
      // A caught mailbox does not require a domain.
      expect(await store.addMailbox(mailboxNamed(mailbox, 'caught'), null)).toMatchObject({ domain: before })
    })

    test('are listed most recently changed first, then by name', async () => {
      const { store, team, mailbox } = await start()
      for (const name of ['b', 'a']) await store.addMailbox(mailboxNamed(mailbox, name), null)
      await store.renameMailbox(mailbox, { name: 'renamed', at: NOW + 1 })
      const listed = await store.listMailboxes(team.id)
      expect(listed.map(({ name }) => name)).toEqual(['renamed', 'a', 'b'])
    })

    test('renaming also renames stored messages; objects keep the old name', async () => {
      const { store, team, mailbox, view, messages } = await start([{ tag: 'login' }, { mailboxWithTag: 'odd' }])
      const renamed = await store.renameMailbox(mailbox, { name: 'orders', at: NOW })
      expect(renamed).toEqual({ ...mailbox, name: 'orders', updatedAt: NOW })
      const first = await store.findMessage(view, messages[0]!.id)
      expect(first).toMatchObject({ mailbox: 'orders', mailboxWithTag: 'orders+login', to: messages[0]!.to })
      expect(await store.findMessage(view, messages[1]!.id)).toMatchObject({ mailbox: 'orders', mailboxWithTag: 'odd' })
      const filter = { q: ['orders+log'] }
      expect(await store.listMessages({ ...view, filter }, { limit: 9, before: null })).toHaveLength(1)
      expect(await store.findTeamMailbox({ teamId: team.id, name: 'qa' })).toBeNull()
      expect(await store.findTeamMailbox({ teamId: team.id, id: mailbox.id })).toEqual(renamed)
      expect(await store.removeMessages(team.id, [1], NOW)).toEqual([objectOf(messages[0]!)])
    })

    test('a name in use is refused and changes nothing', async () => {
      const { store, team, mailbox, view, messages } = await start([{}])
      await store.addMailbox(mailboxNamed(mailbox, 'own'), null)
      const other = await addTeam(store)
      // On a shared domain. On its own domain the team could use every name.
      expect(await store.moveToDomain(team.id, { domain: mailbox.domain, isCustom: false, at: NOW })).toBe('moved')
      await store.addMailbox({ ...mailboxNamed(mailbox, 'foreign'), teamId: other.id }, null)
      expect(await store.renameMailbox(mailbox, { name: 'own', at: NOW })).toBe('used')
      expect(await store.renameMailbox(mailbox, { name: 'foreign', at: NOW })).toBe('taken')
      expect(await store.renameMailbox({ ...mailbox, name: 'outdated' }, { name: 'free', at: NOW })).toBeNull()
      expect(await store.findMessage(view, messages[0]!.id)).toMatchObject({ mailboxWithTag: 'qa' })
      expect(await store.renameMailbox(mailbox, { name: 'free', at: NOW })).toMatchObject({ name: 'free' })
    })

    test('a hidden mailbox, its messages and its keys are invisible, and its name is free', async () => {
      const { store, team, mailbox, view, messages, subjects } = await start([{ subject: 'gone' }, { subject: 'gone' }])
      const kept = await addMailbox(store, team, 'kept')
      await store.addMessage(kept, messageFor(kept, { subject: 'kept' }))
      const key = { id: newId(), teamId: team.id, name: 'ci', masked: 'm', scopes: ['email.mailbox' as const] }
      await store.addKey({ ...key, hash: 'h', mailboxId: mailbox.id, expiresAt: null, createdAt: NOW })
      const where = { teamId: team.id, id: mailbox.id }
      expect(await store.hideMailbox({ ...where, teamId: 'another' }, NOW)).toBe(false)
      expect(await store.findPrincipal('h')).toMatchObject({ mailbox: { id: mailbox.id, name: 'qa' } })
      expect(await store.hideMailbox(where, NOW)).toBe(true)
      expect(await store.hideMailbox(where, NOW)).toBe(false)
      expect(await subjects()).toEqual(['kept'])
      expect(await store.countMessages(view)).toBe(1)
      expect(await store.findMessage(view, messages[0]!.id)).toBeNull()
      expect(await store.listMailboxes(team.id)).toEqual([kept])
      expect(await store.findPrincipal('h')).toMatchObject({ mailbox: { id: mailbox.id, name: null } })
      expect(await store.addMessage(mailbox, messageFor(mailbox))).toBe('mailbox gone')
      expect(await store.addMailbox(mailboxNamed(mailbox, 'qa'), null)).toMatchObject({ name: 'qa' })
    })

    test('a hidden mailbox is dropped once it is empty', async () => {
      const { store, team, mailbox, view } = await start([{}, {}])
      await store.hideMailbox({ teamId: team.id, id: mailbox.id }, NOW)
      await store.dropMailbox(mailbox)
      expect(await store.removedMailboxes()).toContainEqual({ id: mailbox.id, teamId: team.id })
      expect(await store.positionsIn(mailbox, 1)).toHaveLength(1)
      expect(await store.removeMessages(team.id, await store.positionsIn(mailbox, 9), NOW)).toHaveLength(2)
      await store.dropMailbox(mailbox)
      expect(await store.removedMailboxes()).not.toContainEqual({ id: mailbox.id, teamId: team.id })
      expect(await store.countMessages(view)).toBe(0)
    })
  })
}
