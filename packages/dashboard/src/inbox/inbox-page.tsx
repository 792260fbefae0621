import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { lazyPart } from '../lazy-part.ts'
import { useOtherSummary } from '../other-addresses/use-other-summary.ts'
import { classNames } from '../ui/class-names.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loading } from '../ui/loaded.tsx'
import { useTitle } from '../ui/page.tsx'
import { COLUMNS } from './columns.ts'
import type { DialogName } from './inbox-dialogs.tsx'
import { inboxQueries } from './inbox-queries.ts'
import { ListHeader } from './list-header.tsx'
import { MessageList } from './message-list.tsx'
import { NewMailPill } from './new-mail-pill.tsx'
import { markRead } from './read-marks.ts'
import { visibleText } from './safe-text.ts'
import { toggleTerm, type Term } from './search-terms.ts'
import { Sidebar } from './sidebar.tsx'
import { useInbox } from './use-inbox.ts'
import { useInboxKeys } from './use-inbox-keys.ts'

// The list loads first, the parts around it on demand.
const loadPane = () => import('./message-pane.tsx')
const MessagePane = lazyPart(loadPane)
const FirstSteps = lazyPart(() => import('./first-steps.tsx'))
const InboxDialogs = lazyPart(() => import('./inbox-dialogs.tsx'))

export function InboxPage() {
  const inbox = useInbox()
  const { place, hrefOf, go, list, live, waiting } = inbox
  const [shown, setShown] = useState<DialogName | null>(null)
  const searchInput = useRef<HTMLInputElement>(null)
  useInboxKeys(inbox, searchInput)
  useInboxTitle(place.id, inbox.newCount)
  useEffect(() => void loadPane().catch(() => {}), [])

  const search = (terms: Term[]) => go({ id: null, terms })
  const isEmpty = !list.isLoading && !list.failure && list.messages.length === 0
  const isNew = isEmpty && place.terms.length === 0 && place.id === null
  const sidebar = <Sidebar terms={place.terms} hrefOf={hrefOf} onShowMissingMail={() => setShown('missingMail')} />

  return (
    <div className={COLUMNS}>
      <h1 className="sr-only">Inbox</h1>
      <aside className="overflow-y-auto border-r border-line bg-sunken max-lg:hidden print:hidden">{sidebar}</aside>
      <section
        aria-label="Message list"
        className={classNames(
          'relative flex min-h-0 min-w-0 flex-col border-r border-line',
          (place.id !== null || isNew) && 'max-md:hidden',
          // With an open message, only that is printed.
          place.id !== null && 'print:hidden',
        )}
      >
        <ListHeader
          terms={place.terms}
          searchInput={searchInput}
          live={live}
          loaded={{ count: list.messages.length, isExact: !list.hasMore }}
          selectedCount={inbox.selected.size}
          isAllSelected={inbox.isAllSelected}
          onSelectAll={() => void inbox.selectAll()}
          onSearch={search}
          onMarkSelected={(isRead) => markRead(inbox.selected, isRead)}
          onRemoveSelected={inbox.remove}
          onClearSelection={inbox.clearSelection}
          onReload={inbox.reload}
          onMarkAllRead={() => void inbox.markAllRead()}
          onRemoveAll={() => setShown('removeAll')}
          onShowSidebar={() => setShown('sidebar')}
        />
        <NewMailPill count={waiting.length} onShow={inbox.showWaiting} />
        {list.isLoading && <Loading />}
        {isEmpty && <NothingFound terms={place.terms} />}
        {!isEmpty && !list.isLoading && (
          <MessageList
            // A new search starts at the top.
            key={JSON.stringify(place.terms)}
            list={list}
            openId={place.id}
            focusedId={inbox.focusedId}
            selected={inbox.selected}
            focusCalls={inbox.focusCalls}
            hrefOf={(id) => hrefOf({ id })}
            onSelect={inbox.toggleSelected}
            onFocus={inbox.setFocusedId}
            onTop={inbox.setAtTop}
          />
        )}
      </section>
      <div className={classNames('min-h-0 min-w-0', place.id === null && !isNew && 'max-md:hidden')}>
        <Suspense fallback={<Loading />}>
          {place.id !== null && (
            <MessagePane
              id={place.id}
              tab={place.tab}
              onTab={(tab) => go({ tab }, { replace: true })}
              onFilter={(term) => search(toggleTerm(place.terms, term))}
              onBack={inbox.goBack}
              onRemove={inbox.remove}
            />
          )}
          {place.id === null && (isNew ? <FirstSteps /> : <NothingOpen />)}
        </Suspense>
      </div>
      {shown && (
        <Suspense>
          <InboxDialogs
            shown={shown}
            terms={place.terms}
            sidebar={sidebar}
            onClose={() => setShown(null)}
            onRemoved={inbox.reload}
          />
        </Suspense>
      )}
    </div>
  )
}

function useInboxTitle(id: string | null, newCount: number): void {
  const { data } = useQuery({ ...inboxQueries.message(id ?? ''), enabled: id !== null })
  const text = id !== null && data ? visibleText(data.subject) || '(no subject)' : 'Inbox'
  useTitle(newCount > 0 ? `(${newCount}) ${text}` : text)
}

function NothingFound({ terms }: { terms: Term[] }) {
  const others = useOtherSummary()
  const isFiltered = terms.length > 0
  const domain = others?.domains.find((one) => terms.some((term) => isForDomain(term, one.domain)))?.domain
  return (
    <EmptyState icon="inbox" title={isFiltered ? 'No matching mail' : 'No mail yet'}>
      {isFiltered ? 'Matching mail appears here as soon as it arrives.' : 'Mail appears here as soon as it arrives.'}
      {domain !== undefined && (
        <>
          {' '}
          No team has the domain <bdi className="break-words">{visibleText(domain)}</bdi>: its mail is under{' '}
          <Link href="/other" className="link">
            Other addresses
          </Link>
          .
        </>
      )}
    </EmptyState>
  )
}

/** Whether the search is for an address on this domain. */
function isForDomain({ name, value }: Term, domain: string): boolean {
  return (name === 'mailbox' || name === 'to') && value.toLowerCase().endsWith(`@${domain}`)
}

function NothingOpen() {
  return (
    <div className="flex h-full items-center justify-center">
      <EmptyState icon="mailbox" title="No message selected">
        Select one from the list, or press <kbd>j</kbd> and then <kbd>Enter</kbd>.
      </EmptyState>
    </div>
  )
}
