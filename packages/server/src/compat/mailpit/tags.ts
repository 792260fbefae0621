/** Longer ones are cut, as by Mailpit. */
const TAG_LENGTH_MAX = 100
/** Of a message. A mail could name thousands. */
export const TAGS_MAX = 100

/** Of all tags that are set for a message: lists of many messages keep them in memory. */
export const SET_TAGS_LENGTH_MAX = 2_000

/** A tag as Mailpit writes it. Empty if nothing is left. */
export function cleanTag(text: string): string {
  return text
    .replaceAll(/[^a-zA-Z0-9\-_.@]+/g, ' ')
    .trim()
    .slice(0, TAG_LENGTH_MAX)
}

/** Tags that differ only in case are one. It is as it was written first. */
export function cleanTags(texts: Iterable<string>, countMax = Infinity): string[] {
  const tags = new Map<string, string>()
  for (const text of texts) {
    const tag = cleanTag(text)
    if (tag !== '' && tags.size < countMax && !tags.has(keyOf(tag))) tags.set(keyOf(tag), tag)
  }
  return Array.from(tags.values())
}

export function sortTags(tags: string[]): string[] {
  return tags.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

/** The tags as `names` writes them, where it has them. */
export function asWritten(tags: string[], names: Iterable<string>): string[] {
  const written = new Map(Iterator.from(names).map((name) => [keyOf(name), name]))
  return tags.map((tag) => written.get(keyOf(tag)) ?? tag)
}

/** The tags that are set for any message of a mail. Null if none are set. */
export function joinTags(ofMessages: (string[] | null)[]): string[] | null {
  const set = ofMessages.filter((tags) => tags !== null)
  return set.length > 1 ? sortTags(cleanTags(set.flat())) : (set[0] ?? null)
}

export function hasTag(tags: readonly string[], tag: string): boolean {
  return tags.some((one) => keyOf(one) === keyOf(tag))
}

/** The tags with another name for one, or without it. Drops tags beyond the limit, which only the mail itself can have. */
export function withoutTag(tags: readonly string[], tag: string, name: string | null): string[] {
  const others = tags.filter((one) => keyOf(one) !== keyOf(tag))
  let left = SET_TAGS_LENGTH_MAX
  return sortTags((name === null ? others : [name, ...others]).filter((one) => (left -= one.length) >= 0))
}

/** By name in alphabetical order, with the number of messages. A name is as the last of these messages writes it. */
export function countTags(messages: Iterable<readonly string[]>): Map<string, number> {
  const counts = new Map<string, { name: string; count: number }>()
  for (const tags of messages) {
    for (const name of tags) counts.set(keyOf(name), { name, count: (counts.get(keyOf(name))?.count ?? 0) + 1 })
  }
  const byKey = Array.from(counts).sort(([one], [other]) => (one < other ? -1 : 1))
  return new Map(byKey.map(([, { name, count }]) => [name, count]))
}

function keyOf(tag: string): string {
  return tag.toLowerCase()
}
