import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { otherQueries } from './other-queries.ts'

export default function CaughtDomainsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Caught domains"
      description="Your team receives all mail to these domains, so no account links are mailed to them. A team that has one of them as its own domain gets the mail instead."
      isOpen
      onClose={onClose}
    >
      <Loaded query={otherQueries.caught}>
        {({ domains, domainsMax }) =>
          domains.length === 0 ? (
            <EmptyState icon="globe" title="No domain is caught">
              Catch one from the list of other addresses.
            </EmptyState>
          ) : (
            <>
              <ul className="divide-y divide-line text-sm">
                {domains.map((caught) => (
                  <CaughtDomain key={caught.domain} {...caught} />
                ))}
              </ul>
              <p className="mt-3 text-sm text-quiet">
                {domains.length} of at most {domainsMax}. If you stop catching a domain, the mail that was caught stays.
              </p>
            </>
          )
        }
      </Loaded>
    </Dialog>
  )
}

function CaughtDomain({ domain, caughtAt }: { domain: string; caughtAt: string }) {
  const release = useAction(() => trpc.inbox.caught.remove.mutate({ domain }), {
    changes: ['caughtDomains'],
    onDone: () => notify(`Mail to ${domain} is no longer caught.`),
  })
  return (
    <li className="space-y-2 py-2">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 grow">
          <p className="break-all font-medium">{domain}</p>
          <p className="text-xs text-quiet">
            caught <RelativeTime at={caughtAt} />
          </p>
        </div>
        <Button isBusy={release.isRunning} onClick={() => release.run()}>
          Stop catching<span className="sr-only"> {domain}</span>
        </Button>
      </div>
      {release.failure && <FailureNotice failure={release.failure} />}
    </li>
  )
}
