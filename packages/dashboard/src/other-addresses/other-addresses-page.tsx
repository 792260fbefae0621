import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useLocation, useRoute, useSearch } from 'wouter'
import { COLUMNS } from '../inbox/columns.ts'
import type { DialogName } from '../inbox/inbox-dialogs.tsx'
import { MailSourceProvider } from '../inbox/mail-source.ts'
import { MessageList } from '../inbox/message-list.tsx'
import { visibleText } from '../inbox/safe-text.ts'
import { Sidebar } from '../inbox/sidebar.tsx'
import { placeHref, TAB_NAMES, type Place } from '../inbox/use-inbox-location.ts'
import { lazyPart } from '../lazy-part.ts'
import { useSession } from '../session.tsx'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { classNames } from '../ui/class-names.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loading } from '../ui/loaded.tsx'
import { useTitle } from '../ui/page.tsx'
import { CatchBar } from './catch-bar.tsx'
import { OtherListHeader } from './other-list-header.tsx'
import { OTHER_MAIL } from './other-queries.ts'
import { useListFocus } from './use-list-focus.ts'
import { useOtherMail } from './use-other-mail.ts'

const MessagePane = lazyPart(() => import('../inbox/message-pane.tsx'))
const InboxDialogs = lazyPart(() => import('../inbox/inbox-dialogs.tsx'))
const CaughtDomainsDialog = lazyPart(() => import('./caught-domains-dialog.tsx'))

const NOWHERE: Place = { id: null, terms: [], tab: null }

export default function OtherAddressesPage() {
  if (!useSession().team.seesUnrouted) return <NotFoundPage />
  return (
    <MailSourceProvider value={OTHER_MAIL}>
      <OtherAddresses />
    </MailSourceProvider>
  )
}

/** Mail for addresses that no team claims: the same list and the same pane as in the inbox. */
function OtherAddresses() {
  const [, navigate] = useLocation()
  const [, route] = useRoute('/other/:id')
  const tabName = new URLSearchParams(useSearch()).get('tab')
  const id = route?.id ?? null
  const list = useOtherMail()
  const [shown, setShown] = useState<DialogName | 'caught' | null>(null)
  const focus = useListFocus(list.messages, id, (next) => navigate(hrefOf(next), { replace: id !== null }))
  useOtherTitle(id)

  const close = () => setShown(null)
  const sidebar = (
    <Sidebar
      terms={[]}
      hrefOf={(change) => placeHref({ ...NOWHERE, ...change })}
      onShowMissingMail={() => setShown('missingMail')}
    />
  )
  return (
    <div className={COLUMNS}>
      <h1 className="sr-only">Other addresses</h1>
      <aside className="overflow-y-auto border-r border-line bg-sunken max-lg:hidden">{sidebar}</aside>
      <section
        aria-label="Message list"
        className={classNames(
          // Nothing can be done with selected mail here.
          'flex min-h-0 min-w-0 flex-col border-r border-line [&_input[type=checkbox]]:hidden',
          id !== null && 'max-md:hidden',
        )}
      >
        <OtherListHeader onShowSidebar={() => setShown('sidebar')} onShowCaught={() => setShown('caught')} />
        {list.isLoading && <Loading />}
        {!list.isLoading && !list.failure && list.messages.length === 0 ? (
          <EmptyState icon="globe" title="No mail for other addresses">
            Mail to an address that no team has, such as anna@gmail.com, appears here as soon as it arrives.
          </EmptyState>
        ) : (
          <MessageList
            list={list}
            openId={id}
            focusedId={focus.focusedId}
            selected={NONE}
            focusCalls={focus.focusCalls}
            hrefOf={hrefOf}
            onSelect={() => {}}
            onFocus={focus.setFocusedId}
            onTop={() => {}}
          />
        )}
      </section>
      <div className={classNames('flex min-h-0 min-w-0 flex-col', id === null && 'max-md:hidden')}>
        <Suspense fallback={<Loading />}>
          {id === null ? (
            <NothingOpen />
          ) : (
            <>
              <CatchBar id={id} onCaught={() => navigate(placeHref({ ...NOWHERE, id }))} />
              <div className="min-h-0 grow">
                <MessagePane
                  id={id}
                  tab={TAB_NAMES.find((name) => name === tabName) ?? null}
                  onTab={(tab) => navigate(`${hrefOf(id)}?tab=${tab}`, { replace: true })}
                  onFilter={() => {}}
                  onBack={focus.goBack}
                  onRemove={() => {}}
                />
              </div>
            </>
          )}
        </Suspense>
      </div>
      <Suspense>
        {shown === 'caught' && <CaughtDomainsDialog onClose={close} />}
        {shown !== null && shown !== 'caught' && (
          <InboxDialogs shown={shown} terms={[]} sidebar={sidebar} onClose={close} onRemoved={close} />
        )}
      </Suspense>
    </div>
  )
}

const NONE: ReadonlySet<string> = new Set()

function hrefOf(id: string | null): string {
  return id === null ? '/other' : `/other/${encodeURIComponent(id)}`
}

function useOtherTitle(id: string | null): void {
  const { data } = useQuery({ ...OTHER_MAIL.message(id ?? ''), enabled: id !== null })
  useTitle(id !== null && data ? visibleText(data.subject) || '(no subject)' : 'Other addresses')
}

function NothingOpen() {
  return (
    <div className="flex h-full items-center justify-center">
      <EmptyState icon="mailbox" title="No message selected">
        Tests cannot read this mail. Catch its domain to make it ordinary mail of your team, or start the server with{' '}
        <code>--catch-all</code> to receive everything.
      </EmptyState>
    </div>
  )
}
