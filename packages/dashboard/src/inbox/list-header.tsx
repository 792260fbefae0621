import { useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { useIsOwner } from '../session.tsx'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { ConnectionStatus } from './connection-status.tsx'
import { numberText } from './count-text.ts'
import { inboxQueries } from './inbox-queries.ts'
import type { LiveState } from './live-mail.ts'
import { SearchBox } from './search-box.tsx'
import { isExactSearch, type Term } from './search-terms.ts'

type Props = {
  terms: Term[]
  searchInput: RefObject<HTMLInputElement | null>
  live: { state: LiveState; retryNow: () => void }
  /** How many messages the list has loaded, and whether these are all. */
  loaded: { count: number; isExact: boolean }
  selectedCount: number
  isAllSelected: boolean
  onSelectAll: () => void
  onSearch: (terms: Term[]) => void
  onMarkSelected: (isRead: boolean) => void
  onRemoveSelected: () => void
  onClearSelection: () => void
  onReload: () => void
  onMarkAllRead: () => void
  onRemoveAll: () => void
  onShowSidebar: () => void
}

export function ListHeader(props: Props) {
  const { terms, searchInput, live, selectedCount, onSearch } = props
  return (
    <header className="space-y-2 border-b border-line p-2.5">
      <div className="flex items-center gap-2 pl-1">
        <IconButton
          icon="mailbox"
          label="Mailboxes and tags"
          onClick={props.onShowSidebar}
          className="-ml-1 lg:hidden"
        />
        <SelectAll {...props} />
        <h2 className="text-base font-semibold whitespace-nowrap">
          {terms.length === 0 ? 'All mail' : 'Search results'}
        </h2>
        <ListCount {...props} />
        <span className="grow" />
        <ConnectionStatus state={live.state} onRetryNow={live.retryNow} />
        <ListMenu {...props} />
      </div>
      <SearchBox terms={terms} input={searchInput} onChange={onSearch} />
      {selectedCount > 0 && <SelectionBar {...props} />}
    </header>
  )
}

/** Selects all results, also those that are not loaded yet. */
function SelectAll({ selectedCount, isAllSelected, onSelectAll, onClearSelection }: Props) {
  return (
    <label className="flex size-6 shrink-0 cursor-pointer items-center justify-center">
      <input
        type="checkbox"
        aria-label="Select all"
        title="Select all"
        checked={isAllSelected}
        ref={(box) => {
          if (box) box.indeterminate = selectedCount > 0 && !isAllSelected
        }}
        onChange={isAllSelected ? onClearSelection : onSelectAll}
        className="size-4 accent-accent"
      />
    </label>
  )
}

/** “11 · 3 unread”. Results of a search are not counted on the server: that would cost as much as the search. */
function ListCount({ terms, loaded }: Pick<Props, 'terms' | 'loaded'>) {
  const isFiltered = terms.length > 0
  const { data: all } = useQuery({ ...inboxQueries.counts, enabled: !isFiltered })
  return (
    <span className="min-w-0 truncate text-xs tabular-nums text-quiet">
      {numberText(isFiltered || !all ? loaded : { count: all.total })}
      {!isFiltered && all !== undefined && all.unread > 0 && ` · ${numberText({ count: all.unread })} unread`}
    </span>
  )
}

function ListMenu({ terms, onReload, onMarkAllRead, onRemoveAll }: Props) {
  const isOwner = useIsOwner()
  const isExact = isExactSearch(terms)
  return (
    <Menu trigger={<IconButton icon="more" label="More" />}>
      <MenuItem icon="refresh" onSelect={onReload}>
        Reload
      </MenuItem>
      <MenuItem icon="check" onSelect={onMarkAllRead}>
        {terms.length === 0 ? 'Mark all as read' : 'Mark all results as read'}
      </MenuItem>
      {isOwner && (
        <>
          <MenuLine />
          <MenuItem icon="trash" isDanger disabled={!isExact} onSelect={onRemoveAll}>
            {terms.length === 0 ? 'Delete all mail…' : 'Delete all results…'}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

function SelectionBar({ selectedCount, onMarkSelected, onRemoveSelected, onClearSelection }: Props) {
  const isOwner = useIsOwner()
  const action = 'link min-h-6'
  return (
    <div
      className="flex flex-wrap items-center gap-x-3 rounded-md bg-hover px-2.5 py-1 text-sm"
      role="group"
      aria-label="Selection"
    >
      <span className="flex items-center gap-1.5 font-medium">
        <Icon name="check" size={14} /> {selectedCount} selected
      </span>
      <button type="button" className={action} onClick={() => onMarkSelected(true)}>
        Mark as read
      </button>
      <button type="button" className={action} onClick={() => onMarkSelected(false)}>
        Mark as unread
      </button>
      {isOwner && (
        <button type="button" className={action} onClick={onRemoveSelected}>
          Delete
        </button>
      )}
      <button type="button" className={`${action} ml-auto`} onClick={onClearSelection}>
        Clear
      </button>
    </div>
  )
}
