import type { Recipient } from '../domain/address.ts'
import type { AddressRange } from '../domain/transit.ts'

export type Addressed = Pick<Recipient, 'domain' | 'mailbox' | 'tag'>

/** How many of something there are for each address. Addresses without any take no memory. */
export class AddressCounts {
  #byMailbox = new Map<string, Map<string | null, number>>()

  add({ domain, mailbox, tag }: Addressed, change: 1 | -1): void {
    const key = `${mailbox}@${domain}`
    const byTag = this.#byMailbox.get(key) ?? new Map<string | null, number>()
    const count = (byTag.get(tag) ?? 0) + change
    if (count > 0) byTag.set(tag, count)
    else byTag.delete(tag)
    if (byTag.size > 0) this.#byMailbox.set(key, byTag)
    else this.#byMailbox.delete(key)
  }

  of({ domain, mailbox, tags }: AddressRange): number {
    const byTag = this.#byMailbox.get(`${mailbox}@${domain}`)
    if (byTag === undefined) return 0
    const counts = tags === null ? byTag.values() : new Set(tags).values().map((tag) => byTag.get(tag) ?? 0)
    return counts.reduce((sum, count) => sum + count, 0)
  }

  get isEmpty(): boolean {
    return this.#byMailbox.size === 0
  }
}

export function isWithin({ domain, mailbox, tags }: AddressRange, addressed: Addressed): boolean {
  if (domain !== addressed.domain || mailbox !== addressed.mailbox) return false
  return tags === null || (addressed.tag !== null && tags.includes(addressed.tag))
}
