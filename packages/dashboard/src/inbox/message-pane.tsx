import type { MessageDetail } from '@mailhatch/sdk'
import { Suspense, useEffect, useState } from 'react'
import { useShortcuts } from '../keyboard.ts'
import { lazyPart } from '../lazy-part.ts'
import { useIsOwner } from '../session.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Tabs, type Tab } from '../ui/tabs.tsx'
import { AttachmentsTab } from './attachments-tab.tsx'
import { CodeChip } from './code-chip.tsx'
import { GoneMessage } from './gone-message.tsx'
import { HeadersTab } from './headers-tab.tsx'
import { HtmlTab } from './html-tab.tsx'
import { inboxQueries } from './inbox-queries.ts'
import { LinkChip } from './link-chip.tsx'
import { LinksTab } from './links-tab.tsx'
import { MessageHead } from './message-head.tsx'
import { RawTab } from './raw-tab.tsx'
import { markOpened } from './read-marks.ts'
import { isWebAddress, visibleText } from './safe-text.ts'
import type { Term } from './search-terms.ts'
import { TextTab } from './text-tab.tsx'
import type { TabName } from './use-inbox-location.ts'

const TestCodeDialog = lazyPart(() => import('./test-code-dialog.tsx'))

type Props = {
  id: string
  tab: TabName | null
  onTab: (tab: TabName) => void
  onFilter: (term: Term) => void
  onBack: () => void
  onRemove: () => void
}

export default function MessagePane({ id, ...rest }: Props) {
  return (
    <section aria-label="Message" className="flex h-full min-w-0 flex-col [&>[role=alert]]:m-4">
      <Loaded
        key={id}
        query={inboxQueries.message(id)}
        failed={({ code }) =>
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
  const tabs = tabsOf(message)
  const chosen = tab ?? (message.htmlContent === null ? 'text' : 'html')
  const [code] = message.codes
  const link = message.links.find(({ kind, url }) => kind !== 'other' && kind !== 'unsubscribe' && isWebAddress(url))
  useEffect(() => markOpened(message.id), [message.id])

  const step = (by: number) => {
    const index = tabs.findIndex(({ name }) => name === chosen)
    onTab(tabs[(index + by + tabs.length) % tabs.length]!.name)
  }
  useShortcuts([
    { keys: '[', label: 'Previous tab', run: () => step(-1) },
    { keys: ']', label: 'Next tab', run: () => step(1) },
    { keys: 'y', label: 'Copy as test code', run: () => setCodeShown(true) },
  ])

  return (
    <>
      <header className="space-y-3 px-4 pb-3 pt-3">
        <div className="flex items-start gap-2">
          <IconButton icon="back" label="Back to list" onClick={onBack} className="-ml-2 md:hidden" />
          <h2 className="min-w-0 grow pt-1 text-lg/6 font-semibold">
            <bdi>{visibleText(message.subject) || '(no subject)'}</bdi>
          </h2>
          <div className="flex shrink-0 items-center gap-1">
            <Button icon="copy" onClick={() => setCodeShown(true)}>
              <span className="max-sm:sr-only">Test code</span>
            </Button>
            {isOwner && <IconButton icon="trash" label="Delete" onClick={onRemove} />}
          </div>
        </div>
        <MessageHead message={message} onFilter={onFilter} />
        {(code || link) && (
          <div className="flex flex-wrap items-center gap-2">
            {code && <CodeChip code={code.value} />}
            {link && <LinkChip link={link} />}
          </div>
        )}
      </header>
      <Tabs
        label="Message content"
        tabs={tabs}
        chosen={chosen}
        onChoose={onTab}
        className="flex min-h-0 grow flex-col [&>[role=tablist]]:shrink-0 [&>[role=tablist]]:px-2"
        panelClassName="min-h-0 grow overflow-y-auto"
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
      return <Code label="HTML source" code={message.htmlContent ?? ''} />
    case 'json':
      return <Code label="Response of GET /v1/messages/:id" code={JSON.stringify({ data: message }, null, 2)} />
  }
}

function Code({ label, code }: { label: string; code: string }) {
  return (
    <div className="p-4 [&_pre]:max-h-none">
      <CodeBlock label={label} code={code} />
    </div>
  )
}
