import { parseMetadataKey, type MessageLocation } from '../domain/object-keys.ts'

/** Refused mail whose place is kept in memory, about 500 bytes each. The rest is only in the bucket. */
const KNOWN_MAX = 100_000
/** Removed mail that may stay in the order, so that a removal takes constant time. */
const REMOVED_MAX = 1_000

export type UnroutedIndex = {
  /** `key` is the key of the unprocessed metadata. */
  add(key: string): void
  remove(key: string): void
  find(id: string): MessageLocation | null
  count(): number
  /** Another number after every change. */
  version(): number
  /** Those with the most mail first. */
  domains(limit: number): DomainCount[]
  /** Newest first, starting after the mail with the id `before`. */
  newest(page: { before: string | null; limit: number }): MessageLocation[]
}

/** Where the mail is that no team claims. Its ids contain the time of arrival. */
export function createUnroutedIndex(): UnroutedIndex {
  const byKey = new Map<string, MessageLocation>()
  const byId = new Map<string, MessageLocation>()
  const counts = new Map<string, number>()
  // Contains all mail in `byId`. After a change it may contain removed mail, and new mail is at its end.
  let order: MessageLocation[] = []
  let isChanged = false
  let version = 0

  function countDomain(domain: string, by: 1 | -1): void {
    const total = (counts.get(domain) ?? 0) + by
    if (total === 0) counts.delete(domain)
    else counts.set(domain, total)
    isChanged = true
    version++
  }

  function dropRemoved(): void {
    order = order.filter((mail) => byId.get(mail.id) === mail)
  }

  function newestFirst(): MessageLocation[] {
    if (!isChanged) return order
    dropRemoved()
    // Nearly sorted, which the engine's sort does in linear time.
    order.sort((one, other) => (one.id < other.id ? 1 : -1))
    isChanged = false
    return order
  }

  return {
    add(key) {
      const parsed = byKey.has(key) || byKey.size >= KNOWN_MAX ? null : parseMetadataKey(key)
      if (parsed === null) return
      const { id, domain, mailbox } = parsed
      const mail = { id, domain, mailbox }
      byKey.set(key, mail)
      byId.set(id, mail)
      order.push(mail)
      if (order.length > byKey.size + REMOVED_MAX) dropRemoved()
      countDomain(domain, 1)
    },
    remove(key) {
      const mail = byKey.get(key)
      if (!mail) return
      byKey.delete(key)
      byId.delete(mail.id)
      countDomain(mail.domain, -1)
    },
    find: (id) => byId.get(id) ?? null,
    count: () => byKey.size,
    version: () => version,
    domains: (limit) => largest(counts, limit),
    newest({ before, limit }) {
      const all = newestFirst()
      const start = before === null ? 0 : all.findIndex(({ id }) => id < before)
      return start === -1 ? [] : all.slice(start, start + limit)
    },
  }
}

type DomainCount = { domain: string; count: number }

/** Without sorting all: strangers can send mail to a hundred thousand domains, and pages ask twice a second. */
function largest(counts: Map<string, number>, limit: number): DomainCount[] {
  const top: DomainCount[] = []
  for (const [domain, count] of counts) {
    const one = { domain, count }
    if (top.length === limit && compareCounts(top.at(-1)!, one) < 0) continue
    const place = top.findIndex((other) => compareCounts(one, other) < 0)
    top.splice(place === -1 ? top.length : place, 0, one)
    if (top.length > limit) top.pop()
  }
  return top
}

function compareCounts(one: DomainCount, other: DomainCount): number {
  return other.count - one.count || (one.domain < other.domain ? -1 : 1)
}
