import type { Attachment, MessageDetail } from '@mailhatch/sdk'
import { Suspense, useEffect, useState } from 'react'
import { useShortcuts } from '../keyboard.ts'
import { lazyPart } from '../lazy-part.ts'
import { useIsOwner } from '../session.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { CodeView } from '../ui/code-view.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Tabs, type Tab } from '../ui/tabs.tsx'
import { AttachmentsTab } from './attachments-tab.tsx'
import { CodeChip } from './code-chip.tsx'
import { GoneMessage } from './gone-message.tsx'
import { HeadersTab } from './headers-tab.tsx'
import { HtmlTab } from './html-tab.tsx'
import { LinkChip } from './link-chip.tsx'
import { LinksTab } from './links-tab.tsx'
import { useMailSource } from './mail-source.ts'
import { MessageHead } from './message-head.tsx'
import { RawTab } from './raw-tab.tsx'
import { markOpened } from './read-marks.ts'
import { breakRuns, isWebAddress } from './safe-text.ts'
import type { Term } from './search-terms.ts'
import { SourceTab } from './source-tab.tsx'
import { SubjectHeading } from './subject-heading.tsx'
import { TextTab } from './text-tab.tsx'
import type { TabName } from './use-inbox-location.ts'

const TestCodeDialog = lazyPart(() => import('./test-code-dialog.tsx'))
const CalendarCard = lazyPart(() => import('./calendar-card.tsx'))

/** A larger calendar is not an invitation. */
const CALENDAR_BYTES_MAX = 256 * 1024

type Props = {
  id: string
  tab: TabName | null
  onTab: (tab: TabName) => void
  onFilter: (term: Term) => void
  onBack: () => void
  onRemove: () => void
}

export default function MessagePane({ id, ...rest }: Props) {
  const source = useMailSource()
  return (
    <section
      aria-label="Message"
      className="flex h-full min-w-0 flex-col print:block print:h-auto [&>[role=alert]]:m-4"
    >
      <Loaded
        key={id}
        query={source.message(id)}
        failed={({ code }) =>
          source.isInbox &&
          (code === 'message_deleted' || code === 'message_not_found') && (
            <GoneMessage id={id} wasDeleted={code === 'message_deleted'} onBack={rest.onBack} />
          )
        }
      >
        {(message) => <Message message={message} {...rest} />}
      </Loaded>
    </section>
  )
}

function Message({ message, tab, onTab, onFilter, onBack, onRemove }: Omit<Props, 'id'> & { message: MessageDetail }) {
  const [isCodeShown, setCodeShown] = useState(false)
  const isOwner = useIsOwner()
  const { isInbox } = useMailSource()
  const tabs = tabsOf(message).filter(({ name }) => isInbox || name !== 'json')
  const chosen = tab ?? (message.htmlContent === null ? 'text' : 'html')
  const [code] = message.codes
  const link = message.links.find(({ kind, url }) => kind !== 'other' && kind !== 'unsubscribe' && isWebAddress(url))
  const calendar = message.attachments.find(isCalendar)
  useEffect(() => {
    if (isInbox) markOpened(message.id)
  }, [isInbox, message.id])

  const step = (by: number) => {
    const index = tabs.findIndex(({ name }) => name === chosen)
    onTab(tabs[(index + by + tabs.length) % tabs.length]!.name)
  }
  useShortcuts([
    { keys: '[', label: 'Previous tab', run: () => step(-1) },
    { keys: ']', label: 'Next tab', run: () => step(1) },
    ...(isInbox ? [{ keys: 'y', label: 'Copy as test code', run: () => setCodeShown(true) }] : []),
  ])

  return (
    <>
      <header className="space-y-3 px-4 pb-3 pt-3">
        <div className="flex items-start gap-2">
          <IconButton icon="back" label="Back to list" onClick={onBack} className="-ml-2 md:hidden" />
          <SubjectHeading subject={message.subject} />
          <div className="flex shrink-0 items-center gap-1 print:hidden">
            {isInbox && (
              <Button icon="copy" onClick={() => setCodeShown(true)}>
                <span className="max-sm:sr-only">Test code</span>
              </Button>
            )}
            <IconButton icon="print" label="Print" onClick={() => window.print()} className="max-sm:hidden" />
            {isInbox && isOwner && <IconButton icon="trash" label="Delete" onClick={onRemove} />}
          </div>
        </div>
        <MessageHead message={message} onFilter={onFilter} />
        {(code || link) && (
          <div className="flex flex-wrap items-center gap-2 print:hidden">
            {code && <CodeChip code={code.value} />}
            {link && <LinkChip link={link} />}
          </div>
        )}
        {calendar && (
          <Suspense>
            <CalendarCard message={message} attachment={calendar} />
          </Suspense>
        )}
      </header>
      <Tabs
        label="Message content"
        tabs={tabs}
        chosen={chosen}
        onChoose={onTab}
        className="flex min-h-0 grow flex-col [&>[role=tablist]]:shrink-0 [&>[role=tablist]]:px-2 print:block print:[&>[role=tablist]]:hidden"
        panelClassName="min-h-0 grow overflow-y-auto print:overflow-visible"
      >
        <TabContent name={chosen} message={message} />
      </Tabs>
      {isCodeShown && (
        <Suspense>
          <TestCodeDialog message={message} onClose={() => setCodeShown(false)} />
        </Suspense>
      )}
    </>
  )
}

function tabsOf({ htmlContent, links, attachments }: MessageDetail): Tab<TabName>[] {
  const all: Tab<TabName>[] = [
    { name: 'html', text: 'HTML' },
    { name: 'text', text: 'Text' },
    { name: 'links', text: counted('Links', links.length) },
    { name: 'attachments', text: counted('Attachments', attachments.length) },
    { name: 'headers', text: 'Headers' },
    { name: 'source', text: 'Source' },
    { name: 'raw', text: 'Raw' },
    { name: 'json', text: 'JSON' },
  ]
  return htmlContent === null ? all.filter(({ name }) => name !== 'html' && name !== 'source') : all
}

function counted(text: string, count: number): string {
  return count === 0 ? text : `${text} ${count}`
}

function TabContent({ name, message }: { name: TabName; message: MessageDetail }) {
  switch (name) {
    case 'html':
      return message.htmlContent === null ? (
        <EmptyState icon="mailbox" title="This message has no HTML part" />
      ) : (
        <HtmlTab message={message} />
      )
    case 'text':
      return <TextTab message={message} />
    case 'links':
      return <LinksTab message={message} />
    case 'attachments':
      return <AttachmentsTab message={message} />
    case 'headers':
      return <HeadersTab message={message} />
    case 'raw':
      return <RawTab message={message} />
    case 'source':
      return <SourceTab html={message.htmlContent ?? ''} />
    case 'json':
      return <Code label="Response of GET /v1/messages/:id" code={JSON.stringify({ data: message }, null, 2)} />
  }
}

function Code({ label, code }: { label: string; code: string }) {
  return (
    <div className="p-4">
      <CodeView label={label} code={code}>
        {breakRuns(code)}
      </CodeView>
    </div>
  )
}

function isCalendar({ contentType, filename, size }: Attachment): boolean {
  const isNamed = /\.ics$/i.test(filename ?? '')
  return size <= CALENDAR_BYTES_MAX && (isNamed || contentType === 'text/calendar' || contentType === 'application/ics')
}
