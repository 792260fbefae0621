import { expect, test } from 'vitest'
import { mailboxOn, ROOT } from './claims-contract.ts'
import type { HeldBy, Mailbox } from './mailboxes.ts'
import { addTeam, messageFor, NOW } from './store-contract.ts'
import type { Store } from './store.ts'

const DOMAIN = 'held.example'

/** How a team loses an address whose mail it received. */
const LOSSES: Record<HeldBy, (store: Store) => Promise<{ mailbox: Mailbox; lose: () => Promise<unknown> }>> = {
  async domain(store) {
    const team = await addTeam(store, { domain: DOMAIN })
    const mailbox = mailboxOn(DOMAIN, team.id, 'qa')
    await store.addMailbox(mailbox, null)
    return { mailbox, lose: () => store.moveToDomain(team.id, { domain: 'new.example', isCustom: true, at: NOW }) }
  },
  async 'root name'(store) {
    const team = await addTeam(store, { domain: null })
    const mailbox = mailboxOn(ROOT, team.id, 'qa')
    await store.addMailbox(mailbox, null)
    return { mailbox, lose: () => store.moveToDomain(team.id, { domain: 'new.example', isCustom: true, at: NOW }) }
  },
  async 'catch-all'(store) {
    const [team, owner] = [await addTeam(store), await addTeam(store)]
    const mailbox: Mailbox = { ...mailboxOn(DOMAIN, team.id, 'qa'), isCaught: true }
    await store.addMailbox(mailbox, null)
    return { mailbox, lose: () => store.moveToDomain(owner.id, { domain: DOMAIN, isCustom: true, at: NOW }) }
  },
}

/** A message for an address is stored by the team that still has it. */
export function describeHeldAddresses(open: () => Promise<{ store: Store }>): void {
  test.each(Object.entries(LOSSES))(
    'a team that lost an address stores no more of its mail: %s',
    async (name, prepare) => {
      const { store } = await open()
      const { mailbox, lose } = await prepare(store)
      // The keys of the table.
      const destination = { ...mailbox, heldBy: name as HeldBy }
      const add = () => store.addMessage(destination, messageFor(mailbox))
      expect(await add()).toBe(1)
      await lose()
      expect(await add()).toBe('mailbox gone')
      expect(await store.countMessages({ teamId: mailbox.teamId, oldestReceivedAt: 0, filter: {} })).toBe(1)
    },
  )
}
