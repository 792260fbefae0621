import { splitLocalPart } from './address.ts'
import { findClosestName } from './closest-name.ts'
import { fold } from './fold.ts'
import type { MessageFilter } from './match.ts'

type AddressFilter = Pick<MessageFilter, 'mailbox' | 'tag' | 'tags' | 'to'>

/** Whether mail for this address may be the mail that the filter waits for: another domain, or a typo in the name. */
export function isNearAddress(filter: AddressFilter, address: string): boolean {
  const wanted = wantedNames(filter)
  // Without an address in the filter, any mail may be the one. A mail can be refused before its recipient is known.
  if (wanted.length === 0 || address === '') return true
  const given = fold(address)
  const at = given.lastIndexOf('@')
  const local = at === -1 ? given : given.slice(0, at)
  const { mailbox, tag } = splitLocalPart(local)
  return wanted.some((name) => {
    if (name === local || name === mailbox || name === tag || given.includes(name)) return true
    return [local, mailbox, tag].some((part) => part !== null && findClosestName(part, [name]) !== null)
  })
}

/** What the part before the @ should be: the whole of it, or only its mailbox or tag if the filter has no more. */
function wantedNames({ mailbox, tag, tags = [], to = [] }: AddressFilter): string[] {
  const ofMailbox = mailbox ? [mailbox.tag === null ? mailbox.name : `${mailbox.name}+${mailbox.tag}`, mailbox.tag] : []
  const ofTo = to.map((needle) => needle.slice(0, needle.includes('@') ? needle.lastIndexOf('@') : undefined))
  return [...ofMailbox, tag, ...tags, ...ofTo].flatMap((name) => name || [])
}
