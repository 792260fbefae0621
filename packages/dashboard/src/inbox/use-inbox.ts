import type { MessageSummary } from '@mailhatch/sdk'
import { useMemo, useRef, useState } from 'react'
import { invalidate } from '../api/queries.ts'
import { announce, notify } from '../ui/notices.ts'
import { markRead, readMarks } from './read-marks.ts'
import { removeWithUndo } from './removals.ts'
import { visibleText } from './safe-text.ts'
import { filterOf, formatSearch, unreadOnly } from './search-terms.ts'
import { useInboxLocation } from './use-inbox-location.ts'
import { useLiveMail } from './use-live-mail.ts'
import { useMessages } from './use-messages.ts'
import { useUnseenMail } from './use-unseen-mail.ts'

/** The sidebar reloads at most this often, however much mail arrives. */
const SIDEBAR_RELOAD_MS = 5_000

/** “All” means at most this many, the newest. Deleting all results has no such limit. */
const ALL_MAX = 2_000

export type Inbox = ReturnType<typeof useInbox>

/** State shared by the parts of the inbox. */
export function useInbox() {
  const { place, hrefOf, go } = useInboxLocation()
  const searchText = formatSearch(place.terms)
  const filter = useMemo(() => filterOf(place.terms), [searchText])
  const [marksTaken, setMarksTaken] = useState(0)
  const isUnread = unreadOnly(place.terms)
  const isKept = useMemo(() => {
    if (isUnread === null) return null
    // As of now: a message stays in the list while it is read.
    const marks = readMarks()
    return (id: string) => marks.has(id) !== isUnread
  }, [searchText, isUnread, marksTaken])
  const list = useMessages(filter, isKept)
  const { messages } = list
  const [isAtTop, setAtTop] = useState(true)
  const [waiting, setWaiting] = useState<MessageSummary[]>([])
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const [focusCalls, setFocusCalls] = useState(0)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const sidebarLoadedAt = useRef(-SIDEBAR_RELOAD_MS)
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
  const live = useLiveMail({ filter, after: list.cursor, onMails: take })

  function take(mails: MessageSummary[]): void {
    const [first] = mails
    if (!first) return
    announce(
      mails.length === 1
        ? `New mail from ${visibleText(first.fromName || first.from)}`
        : `${mails.length} new messages`,
    )
    unseen.take(mails)
    if (performance.now() - sidebarLoadedAt.current > SIDEBAR_RELOAD_MS) {
      sidebarLoadedAt.current = performance.now()
      void invalidate('tags', 'mailboxes')
    }
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

  /** The messages of the whole search, also those that are not loaded yet. Null if another search was started. */
  async function loadAll(): Promise<string[] | null> {
    const all = await list.loadUpTo(ALL_MAX)
    if (shownSearch.current !== searchText) return null
    return all.slice(0, ALL_MAX).map(({ id }) => id)
  }

  async function selectAll(): Promise<void> {
    // What is loaded is selected at once.
    setSelected(new Set(messages.map(({ id }) => id)))
    const ids = await loadAll()
    if (ids === null) return
    setSelected(new Set(ids))
    announce(`${ids.length} selected`)
    if (ids.length === ALL_MAX) notify(`The newest ${ALL_MAX.toLocaleString('en')} messages are selected.`)
  }

  async function markAllRead(): Promise<void> {
    const ids = await loadAll()
    if (ids === null) return
    markRead(ids, true)
    setMarksTaken((count) => count + 1)
    const which = ids.length === ALL_MAX ? 'the newest ' : ''
    notify(`Marked ${which}${ids.length.toLocaleString('en')} ${ids.length === 1 ? 'message' : 'messages'} as read`)
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
    markAllRead,
    focusedId,
    setFocusedId,
    focusCalls,
    setAtTop,
    step,
    goBack,
    targets,
    remove,
    reload() {
      setWaiting([])
      setMarksTaken((count) => count + 1)
      list.reload()
    },
  }
}
