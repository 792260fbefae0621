import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inGroups } from '../../domain/in-groups.ts'
import type { StoredSummary, View } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import { keptLengthOf } from '../facts-reader.ts'
import { areAny, findMailOf, groupByMail, type Copies, type WholeMail } from '../mails.ts'
import { createTeamLists, isIn, type Listed, type TeamList } from '../team-lists.ts'
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
import { countTags, hasTag, joinTags } from './tags.ts'

/** Most searches for the newest match find it among the first. */
const STEPS = [20, 200]
/** Mails that are read at the same time. */
const READ_AT_ONCE = 10
/** Then other work gets a turn. */
const WORK_MS_MAX = 5
/** A megabyte for every million of common characters, two for others. */
const TEXTS_LENGTH_MAX = 32_000_000

/** A message in memory. */
type Entry = Listed & {
  /** At this version of the team's marks. */
  mark: { isRead: boolean; version: number } | null
  size: number | null
  /** Null if no client has set them. */
  setTags: string[] | null
  /** What was read of its mail, if it is the first that the caller sees. A text is kept for the same recipients. */
  searchable: Searchable | null
  keptFor: string
}

/** What is made of a mail and may be kept with its first entry. */
type Part<Value> = {
  known: (entry: Entry) => Value | null
  of: (mail: WholeMail) => Value
  keep: (entry: Entry, value: Value) => void
}

type EntriesOfMail = Copies<Entry>

export type FoundMail = { copies: Copies<Listed>; isRead: boolean }

/** A mail with the tags that are shown of it. */
export type TaggedMail<One extends Listed = Listed> = { copies: Copies<One>; tags: string[] }

export type MailpitSearch = {
  /** All matches among the newest messages, newest first. */
  all(view: View, terms: Term[]): Promise<FoundMail[]>
  /** The newest match. */
  newest(view: View, terms: Term[]): Promise<FoundMail | null>
  /** The tags of the newest mails, as `countTags` of tags.ts returns them. */
  countTags(view: View): Promise<Map<string, number>>
  /**
   * Those of the newest mails with a tag, a mail for several mailboxes once for each, which may lack it. `tagVersion` is not newer than their tags.
   */
  withTag(view: View, tag: string): Promise<{ tagVersion: number; found: TaggedMail[] }>
  deleted(teamId: string, ids: string[]): void
}

type Ports = Pick<
  Store,
  'listMessages' | 'followMessages' | 'messageState' | 'changedTags' | 'findMessage' | 'readAmong'
>

/** A step of the list, with its versions. */
type Visible = { mails: EntriesOfMail[] } & Pick<TeamList<Entry>, 'markVersion' | 'tagVersion'>

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
      let start = Math.max(0, end - (steps[step] ?? steps.at(-1)!))
      // All of a mail is in one step.
      while (start > 0 && entries[start - 1]!.receivedAt === entries[start]!.receivedAt) start--
      const seen = entries.slice(start, end).filter((entry) => isIn(view, entry))
      yield { mails: groupByMail(seen.reverse()), markVersion, tagVersion }
      end = start
      if (performance.now() - workedFrom < WORK_MS_MAX) continue
      view.proceed?.()
      await yieldToEventLoop()
      workedFrom = performance.now()
    }
  }

  /** What is kept of a mail is no longer true for other recipients: more have arrived, or the caller sees fewer. */
  function forgetOthers(copies: EntriesOfMail): void {
    const [first] = copies
    const recipients = copies.length === 1 ? first.to : copies.map(({ to }) => to).join()
    if (first.keptFor === recipients) return
    first.keptFor = recipients
    first.searchable = null
    texts.forget(first)
  }

  async function* matching(given: View, terms: Term[], steps: number[]): AsyncGenerator<FoundMail[]> {
    const view = { ...given, filter: timeFilterOf(terms, given.filter) }
    const sorted = sortTerms(terms)
    for await (const { mails, markVersion } of visible(view, steps)) {
      const searchables = await partsOf(view, mails, searchablePart)
      const fitting = mails.filter((copies, index) => {
        const searchable = searchables[index] ?? null
        if (searchable === null) return false
        const setTags = setTagsOf(copies)
        const shown = setTags === null ? searchable : { ...searchable, tags: setTags }
        return matchesFields(sorted, copies[0], shown)
      })
      const found = sorted.texts.length === 0 ? fitting : await withTexts(view, sorted, fitting)
      await readMarks(view.teamId, found.flat(), markVersion)
      yield found
        .map((copies) => ({ copies, isRead: copies.every(({ mark }) => mark!.isRead) }))
        .filter(({ isRead }) => matchesRead(sorted, isRead))
    }
  }

  async function withTexts(view: View, terms: SortedTerms, mails: EntriesOfMail[]): Promise<EntriesOfMail[]> {
    const searched = await partsOf(view, mails, textPart)
    return mails.filter((_, index) => {
      const text = searched[index] ?? null
      return text !== null && matchesText(terms, text)
    })
  }

  /** From memory, or else from the store. Null for a mail that has been deleted. */
  async function partsOf<Value>(view: View, mails: EntriesOfMail[], part: Part<Value>): Promise<(Value | null)[]> {
    mails.forEach(forgetOthers)
    const values = mails.map(([first]) => part.known(first))
    const missing = mails.flatMap((_, index) => (values[index] === null ? [index] : []))
    await inGroups(missing, READ_AT_ONCE, async (index) => {
      const copies = mails[index]!
      const mail = await findMailOf(store, view, copies)
      if (!mail) return
      const value = part.of(mail)
      part.keep(copies[0], value)
      values[index] = value
    })
    return values
  }

  async function taggedAmong(view: View, mails: EntriesOfMail[]): Promise<TaggedMail<Entry>[]> {
    const searchables = await partsOf(view, mails, searchablePart)
    return mails.map((copies, index) => ({ copies, tags: setTagsOf(copies) ?? searchables[index]?.tags ?? [] }))
  }

  /** As who sees one mailbox alone: without the tags of hidden recipients of others. */
  function byMailbox(view: View, { copies }: TaggedMail<Entry>): Promise<TaggedMail[]> {
    const ofMailboxes = Array.from(Map.groupBy(copies, ({ mailboxId }) => mailboxId).values()).filter(areAny)
    return taggedAmong(view, ofMailboxes)
  }

  async function readMarks(teamId: string, entries: Entry[], version: number): Promise<void> {
    const unknown = entries.filter(({ mark }) => mark?.version !== version)
    if (unknown.length === 0) return
    const positions = unknown.map(({ position }) => position)
    const read = new Set(await store.readAmong(teamId, positions))
    for (const entry of unknown) entry.mark = { isRead: read.has(entry.position), version }
  }

  async function all(view: View, terms: Term[]): Promise<FoundMail[]> {
    const found: FoundMail[] = []
    for await (const some of matching(view, terms, STEPS.slice(-1))) found.push(...some)
    return found
  }

  async function newest(view: View, terms: Term[]): Promise<FoundMail | null> {
    for await (const [first] of matching(view, terms, STEPS)) if (first) return first
    return null
  }

  async function allTags(view: View): Promise<Map<string, number>> {
    const all: string[][] = []
    for await (const { mails } of visible(view, STEPS.slice(-1))) {
      all.push(...(await taggedAmong(view, mails)).map(({ tags }) => tags))
    }
    return countTags(all)
  }

  async function withTag(view: View, tag: string): Promise<{ tagVersion: number; found: TaggedMail[] }> {
    const found: TaggedMail[] = []
    let version = 0
    for await (const { mails, tagVersion } of visible(view, STEPS.slice(-1))) {
      version = tagVersion
      for (const one of await taggedAmong(view, mails)) {
        if (hasTag(one.tags, tag)) found.push(...(await byMailbox(view, one)))
      }
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

function entryOf({ id, position, receivedAt, mailboxId, to, size }: StoredSummary): Entry {
  return { id, position, receivedAt, mailboxId, to, size, mark: null, setTags: null, searchable: null, keptFor: '' }
}

function setTagsOf(copies: EntriesOfMail): string[] | null {
  return joinTags(copies.map(({ setTags }) => setTags))
}
