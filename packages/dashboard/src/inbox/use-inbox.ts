import { useMemo, useRef, useState } from 'react'
import { invalidate } from '../api/queries.ts'
import { announce, notify } from '../ui/notices.ts'
import type { ListedMessage } from './message-pages.ts'
import { paced } from './paced.ts'
import { markAllRead, reloadCounts } from './read-marks.ts'
import { removeWithUndo } from './removals.ts'
import { visibleText } from './safe-text.ts'
import { dependsOnMarks, filterOf, formatSearch } from './search-terms.ts'
import { useInboxLocation } from './use-inbox-location.ts'
import { useLiveMail } from './use-live-mail.ts'
import { useMessages } from './use-messages.ts'
import { useUnseenMail } from './use-unseen-mail.ts'

/** The sidebar reloads at most this often, however much mail arrives. */
const SIDEBAR_RELOAD_MS = 5_000

/** “All” means at most this many, the newest. Deleting or marking all results has no such limit. */
const ALL_MAX = 2_000

const reloadSidebar = paced(() => void invalidate('tags', 'mailboxes'), SIDEBAR_RELOAD_MS)

export type Inbox = ReturnType<typeof useInbox>

/** State shared by the parts of the inbox. */
export function useInbox() {
  const { place, hrefOf, go } = useInboxLocation()
  const searchText = formatSearch(place.terms)
  const filter = useMemo(() => filterOf(place.terms), [searchText])
  const list = useMessages(filter)
  const { messages } = list
  const [isAtTop, setAtTop] = useState(true)
  const [waiting, setWaiting] = useState<ListedMessage[]>([])
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const [focusCalls, setFocusCalls] = useState(0)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const shownSearch = useRef(searchText)
  if (shownSearch.current !== searchText) {
    // A new search: reset the state of the previous list.
    shownSearch.current = searchText
    setAtTop(true)
    setWaiting([])
    setSelected(new Set())
    setFocusedId(null)
  }

  const unseen = useUnseenMail((id) => go({ id, tab: null }))
  const live = useLiveMail({ filter, after: list.cursor, marks: list.marks, onMails: take })

  function take(mails: ListedMessage[]): void {
    const [first] = mails
    if (!first) return
    announce(
      mails.length === 1
        ? `New mail from ${visibleText(first.fromName || first.from)}`
        : `${mails.length} new messages`,
    )
    unseen.take(mails)
    reloadSidebar()
    reloadCounts()
    if (isAtTop) list.add(mails)
    else setWaiting((before) => [...before, ...mails.filter(({ id }) => !before.some((other) => other.id === id))])
  }

  function showWaiting(): void {
    list.add(waiting)
    setWaiting([])
    setAtTop(true)
    focusOn(waiting.at(-1)?.id ?? null)
  }

  function focusOn(id: string | null): void {
    setFocusedId(id)
    setFocusCalls((calls) => calls + 1)
  }

  /** Moves the focus in the list. If a message is open, opens the next one instead. */
  function step(by: number): void {
    const index = messages.findIndex(({ id }) => id === (place.id ?? focusedId))
    const next = messages[index === -1 ? 0 : index + by]
    if (!next) return
    if (place.id === null) focusOn(next.id)
    else {
      setFocusedId(next.id)
      go({ id: next.id }, { replace: true })
    }
  }

  function goBack(): void {
    go({ id: null, tab: null })
    focusOn(place.id ?? focusedId)
  }

  /** The selected messages, else the open one, else the focused one. */
  function targets(): string[] {
    if (selected.size > 0) return Array.from(selected)
    const one = place.id ?? focusedId
    return one === null ? [] : [one]
  }

  function remove(): void {
    const ids = targets()
    if (ids.length === 0) return
    const gone = new Set(ids)
    const index = messages.findIndex(({ id }) => gone.has(id))
    const next = messages.slice(index).find(({ id }) => !gone.has(id)) ?? null
    removeWithUndo(ids)
    setSelected(new Set())
    if (place.id !== null && gone.has(place.id)) go({ id: null, tab: null })
    focusOn(next?.id ?? null)
  }

  /** Selects the messages of the whole search, also those that are not loaded yet. */
  async function selectAll(): Promise<void> {
    // What is loaded is selected at once.
    setSelected(new Set(messages.map(({ id }) => id)))
    const all = await list.loadUpTo(ALL_MAX)
    // Another search was started meanwhile.
    if (shownSearch.current !== searchText) return
    const ids = all.slice(0, ALL_MAX).map(({ id }) => id)
    setSelected(new Set(ids))
    announce(`${ids.length} selected`)
    if (ids.length === ALL_MAX) notify(`The newest ${ALL_MAX.toLocaleString('en')} messages are selected.`)
  }

  return {
    place,
    hrefOf,
    go,
    list,
    live,
    waiting,
    /** Messages the user has not seen: waiting above the list, or arrived while the tab was hidden. */
    newCount: new Set([...waiting.map(({ id }) => id), ...unseen.ids]).size,
    showWaiting,
    selected,
    toggleSelected: (id: string) => setSelected((before) => before.symmetricDifference(new Set([id]))),
    clearSelection: () => setSelected(new Set()),
    isAllSelected: selected.size > 0 && (selected.size >= messages.length || selected.size === ALL_MAX),
    selectAll,
    focusedId,
    setFocusedId,
    focusCalls,
    setAtTop,
    step,
    goBack,
    targets,
    remove,
    /** Messages that arrived after the list was last complete, such as those that wait above it, stay unread. */
    async markAllRead() {
      if (list.cursor === undefined) return
      const isMarked = await markAllRead(filter, list.cursor)
      if (isMarked && dependsOnMarks(filter)) list.reload()
    },
    reload() {
      setWaiting([])
      list.reload()
    },
  }
}
