import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inGroups } from '../../domain/in-groups.ts'
import type { StoredMessage, StoredSummary, View } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import { keptLengthOf } from '../facts-reader.ts'
import { createTeamLists, type Listed, type TeamList } from '../team-lists.ts'
import { createTurns, SEARCH_TURNS } from '../turns.ts'
import { createKeptTexts } from './kept-texts.ts'
import {
  matchesFields,
  matchesRead,
  matchesText,
  sortTerms,
  timeFilterOf,
  type SortedTerms,
  type Term,
} from './query.ts'
import { searchableOf, searchTextOf, type Searchable } from './searchable.ts'
import { countTags, hasTag } from './tags.ts'

/** Most searches for the newest match find it among the first. */
const STEPS = [20, 200]
/** Messages that are read at the same time. */
const READ_AT_ONCE = 10
/** Then other work gets a turn. */
const WORK_MS_MAX = 5
/** A megabyte for every million of common characters, two for others. */
const TEXTS_LENGTH_MAX = 32_000_000

/** A message in memory, with what was read of it. */
type Entry = Listed & {
  size: number | null
  searchable: Searchable | null
  /** Null if no client has set them. */
  setTags: string[] | null
  /** At this version of the team's marks. */
  mark: { isRead: boolean; version: number } | null
}

/** What is made of a message and may be kept with its entry. */
type Part<Value> = {
  known: (entry: Entry) => Value | null
  of: (message: StoredMessage) => Value
  keep: (entry: Entry, value: Value) => void
}

export type FoundMessage = Listed & { isRead: boolean }

/** A message with the tags that are shown of it. */
export type TaggedEntry = Pick<Listed, 'position' | 'mailboxId'> & { tags: string[] }

export type MailpitSearch = {
  /** All matches among the newest messages, newest first. */
  all(view: View, terms: Term[]): Promise<FoundMessage[]>
  /** The newest match. */
  newest(view: View, terms: Term[]): Promise<FoundMessage | null>
  /** The tags of the newest messages, as `countTags` of tags.ts returns them. */
  countTags(view: View): Promise<Map<string, number>>
  /** Those of the newest messages with a tag. `tagVersion` is not newer than their tags. */
  withTag(view: View, tag: string): Promise<{ tagVersion: number; found: TaggedEntry[] }>
  deleted(teamId: string, ids: string[]): void
}

type Ports = Pick<
  Store,
  'listMessages' | 'followMessages' | 'messageState' | 'changedTags' | 'findMessage' | 'readAmong'
>

/** A step of the list, with its versions. */
type Visible = { entries: Entry[] } & Pick<TeamList<Entry>, 'markVersion' | 'tagVersion'>

export function createSearch(store: Ports): MailpitSearch {
  const inTurn = createTurns(SEARCH_TURNS)
  const texts = createKeptTexts<Entry>(TEXTS_LENGTH_MAX)
  const lists = createTeamLists<Entry>(store, {
    entryOf,
    setTags(entry, tags) {
      entry.setTags = tags
    },
    onDropped: (entries) => entries.forEach(texts.forget),
  })
  const textPart: Part<string> = { known: (entry) => texts.get(entry) ?? null, of: searchTextOf, keep: texts.keep }

  /** In steps, newest first. */
  async function* visible(view: View, steps: number[]): AsyncGenerator<Visible> {
    const { entries, markVersion, tagVersion } = await lists.read(view.teamId, view.proceed)
    let workedFrom = performance.now()
    for (let end = entries.length, step = 0; end > 0; step++) {
      const start = Math.max(0, end - (steps[step] ?? steps.at(-1)!))
      yield {
        entries: entries
          .slice(start, end)
          .reverse()
          .filter((entry) => isIn(view, entry)),
        markVersion,
        tagVersion,
      }
      end = start
      if (performance.now() - workedFrom < WORK_MS_MAX) continue
      view.proceed?.()
      await yieldToEventLoop()
      workedFrom = performance.now()
    }
  }

  async function* matching(given: View, terms: Term[], steps: number[]): AsyncGenerator<FoundMessage[]> {
    const view = { ...given, filter: timeFilterOf(terms, given.filter) }
    const sorted = sortTerms(terms)
    for await (const { entries, markVersion } of visible(view, steps)) {
      const searchables = await partsOf(view, entries, searchablePart)
      const fitting = entries.filter((entry, index) => {
        const searchable = searchables[index] ?? null
        if (searchable === null) return false
        const shown = entry.setTags === null ? searchable : { ...searchable, tags: entry.setTags }
        return matchesFields(sorted, entry, shown)
      })
      const found = sorted.texts.length === 0 ? fitting : await withTexts(view, sorted, fitting)
      await readMarks(view.teamId, found, markVersion)
      yield found
        .map((entry) => ({ ...entry, isRead: entry.mark!.isRead }))
        .filter(({ isRead }) => matchesRead(sorted, isRead))
    }
  }

  async function withTexts(view: View, terms: SortedTerms, entries: Entry[]): Promise<Entry[]> {
    const searched = await partsOf(view, entries, textPart)
    return entries.filter((_, index) => {
      const text = searched[index] ?? null
      return text !== null && matchesText(terms, text)
    })
  }

  /** From memory, or else from the store. Null for a message that has been deleted. */
  async function partsOf<Value>(view: View, entries: Entry[], part: Part<Value>): Promise<(Value | null)[]> {
    const values = entries.map(part.known)
    const missing = entries.flatMap((_, index) => (values[index] === null ? [index] : []))
    await inGroups(missing, READ_AT_ONCE, async (index) => {
      const message = await store.findMessage(view, entries[index]!.id)
      if (!message) return
      const value = part.of(message)
      part.keep(entries[index]!, value)
      values[index] = value
    })
    return values
  }

  async function taggedAmong(view: View, entries: Entry[]): Promise<TaggedEntry[]> {
    const searchables = await partsOf(view, entries, searchablePart)
    return entries.map(({ position, mailboxId, setTags }, index) => ({
      position,
      mailboxId,
      tags: setTags ?? searchables[index]?.tags ?? [],
    }))
  }

  async function readMarks(teamId: string, entries: Entry[], version: number): Promise<void> {
    const unknown = entries.filter(({ mark }) => mark?.version !== version)
    if (unknown.length === 0) return
    const positions = unknown.map(({ position }) => position)
    const read = new Set(await store.readAmong(teamId, positions))
    for (const entry of unknown) entry.mark = { isRead: read.has(entry.position), version }
  }

  async function all(view: View, terms: Term[]): Promise<FoundMessage[]> {
    const found: FoundMessage[] = []
    for await (const some of matching(view, terms, STEPS.slice(-1))) found.push(...some)
    return found
  }

  async function newest(view: View, terms: Term[]): Promise<FoundMessage | null> {
    for await (const [first] of matching(view, terms, STEPS)) if (first) return first
    return null
  }

  async function allTags(view: View): Promise<Map<string, number>> {
    const all: string[][] = []
    for await (const { entries } of visible(view, STEPS.slice(-1))) {
      all.push(...(await taggedAmong(view, entries)).map(({ tags }) => tags))
    }
    return countTags(all)
  }

  async function withTag(view: View, tag: string): Promise<{ tagVersion: number; found: TaggedEntry[] }> {
    const found: TaggedEntry[] = []
    let version = 0
    for await (const { entries, tagVersion } of visible(view, STEPS.slice(-1))) {
      version = tagVersion
      found.push(...(await taggedAmong(view, entries)).filter(({ tags }) => hasTag(tags, tag)))
    }
    return { tagVersion: version, found }
  }

  return {
    all: (view, terms) => inTurn(view.teamId, () => all(view, terms), view.proceed),
    newest: (view, terms) => inTurn(view.teamId, () => newest(view, terms), view.proceed),
    countTags: (view) => inTurn(view.teamId, () => allTags(view), view.proceed),
    withTag: (view, tag) => inTurn(view.teamId, () => withTag(view, tag), view.proceed),
    deleted: lists.deleted,
  }
}

const searchablePart: Part<Searchable> = {
  known: ({ searchable }) => searchable,
  of: searchableOf,
  keep(entry, searchable) {
    if (keptLengthOf(searchable) !== null) entry.searchable = searchable
  },
}

function entryOf({ id, position, receivedAt, mailboxId, size }: StoredSummary): Entry {
  return { id, position, receivedAt, mailboxId, size, searchable: null, setTags: null, mark: null }
}

function isIn({ oldestReceivedAt, filter }: View, { receivedAt, mailboxId }: Entry): boolean {
  const { mailboxId: boundTo, start = -Infinity, end = Infinity } = filter
  if (boundTo !== undefined && boundTo !== mailboxId) return false
  return receivedAt >= Math.max(oldestReceivedAt, start) && receivedAt < end
}
