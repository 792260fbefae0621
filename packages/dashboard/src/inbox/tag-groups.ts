export type TagCount = { tag: string; count: number }

/** A tag by itself, tags with a common prefix, or tags that were used once. Only the first has a single tag. */
export type TagEntry = { kind: 'tag' | 'prefix' | 'once'; text: string; tags: TagCount[] }

/** The part before the first separator, or before a number: `signup` of `signup-x7k2` and `order` of `order42`. */
const PREFIX = /^(?:(\p{L}[\p{L}\p{N}]*)[-_.:/]|(\p{L}{3,})\p{N})/u
/** Fewer lines take hardly more room than the one that would replace them. */
const ONCE_MIN = 4

/** Groups tags by prefix, because tests often add a random part, and folds the rest of those with one message. */
export function groupTags(tags: TagCount[]): TagEntry[] {
  const byPrefix = Map.groupBy(tags, ({ tag }) => prefixOf(tag) ?? tag)
  const entries = Array.from(byPrefix, ([text, members]): TagEntry => ({
    kind: members.length > 1 ? 'prefix' : 'tag',
    text: members.length > 1 ? `+${text}…` : text,
    tags: members,
  }))
  const once = entries.filter(isUsedOnce)
  if (once.length < ONCE_MIN) return entries
  const folded: TagEntry = { kind: 'once', text: 'Used once', tags: once.flatMap((entry) => entry.tags) }
  return [...entries.filter((entry) => !isUsedOnce(entry)), folded]
}

function isUsedOnce({ kind, tags }: TagEntry): boolean {
  return kind === 'tag' && tags[0]!.count === 1
}

function prefixOf(tag: string): string | null {
  const [, separated, numbered] = PREFIX.exec(tag) ?? []
  return separated ?? numbered ?? null
}
