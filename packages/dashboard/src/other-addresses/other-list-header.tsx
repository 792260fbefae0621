import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messagesText } from '../inbox/count-text.ts'
import { visibleText } from '../inbox/safe-text.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { otherQueries } from './other-queries.ts'
import { useCatch } from './use-catch.ts'
import { useOtherSummary, type OtherSummary } from './use-other-summary.ts'

/** Domains shown before "Show all". More would push the list down. */
const DOMAINS_SHOWN = 3

type Props = { onShowSidebar: () => void; onShowCaught: () => void }

export function OtherListHeader({ onShowSidebar, onShowCaught }: Props) {
  const summary = useOtherSummary()
  const { data: caught } = useQuery(otherQueries.caught)
  return (
    <header className="space-y-2 border-b border-line p-2.5">
      <div className="flex items-center gap-2 pl-1">
        <IconButton icon="mailbox" label="Mailboxes and tags" onClick={onShowSidebar} className="-ml-1 lg:hidden" />
        <h2 className="grow text-base font-semibold">Other addresses</h2>
        <Button variant="quiet" onClick={onShowCaught}>
          Caught domains{caught && caught.domains.length > 0 && ` ${caught.domains.length}`}
        </Button>
      </div>
      <p className="px-1 text-sm text-quiet">
        Mail to addresses that no team has. Catch a domain to get its mail in your inbox.
      </p>
      {summary && summary.domains.length > 0 && <Domains domains={summary.domains} />}
    </header>
  )
}

function Domains({ domains }: { domains: OtherSummary['domains'] }) {
  const [isWhole, setWhole] = useState(false)
  const caught = useCatch()
  return (
    <>
      <ul aria-label="Domains" className="max-h-64 overflow-y-auto text-sm">
        {(isWhole ? domains : domains.slice(0, DOMAINS_SHOWN)).map(({ domain, count }) => (
          <li key={domain} className="flex items-center gap-2 py-0.5 pl-1">
            <bdi className="min-w-0 truncate font-medium">{visibleText(domain)}</bdi>
            <span className="grow whitespace-nowrap text-xs tabular-nums text-quiet">{messagesText({ count })}</span>
            <Button isBusy={caught.isRunning} onClick={() => caught.run(domain)} className="shrink-0">
              Catch
              <span className="sr-only"> domain {visibleText(domain)}</span>
            </Button>
          </li>
        ))}
      </ul>
      {domains.length > DOMAINS_SHOWN && (
        <button type="button" onClick={() => setWhole(!isWhole)} className="link min-h-6 px-1 text-xs">
          {isWhole ? 'Show fewer' : `Show all ${domains.length} domains`}
        </button>
      )}
      {caught.failure && <FailureNotice failure={caught.failure} />}
    </>
  )
}
