import { useState } from 'react'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useSession } from '../session.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Tabs, type Tab } from '../ui/tabs.tsx'
import { RecentAttempts } from './attempts.tsx'
import { inboxQueries } from './inbox-queries.ts'
import { rejectionGroups, type RejectionGroup } from './rejection-groups.ts'
import { visibleText } from './safe-text.ts'

type Name = 'waits' | 'attempts' | 'rejections' | 'unrouted'

/** Helps to find out why a mail did not arrive: held waits, what senders tried, rejected mail, and stored mail that was not delivered. */
export function MissingMailDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { team } = useSession()
  const [chosen, setChosen] = useState<Name>('waits')
  const tabs: Tab<Name>[] = [
    { name: 'waits', text: 'Waiting now' },
    { name: 'attempts', text: 'Attempts' },
    { name: 'rejections', text: 'Rejected mail' },
    ...(team.seesUnrouted ? [{ name: 'unrouted' as const, text: 'Undelivered mail' }] : []),
  ]
  return (
    <Dialog
      title="Missing mail"
      description="Tests that are waiting right now, what senders tried, and mail that did not reach this inbox."
      width="large"
      isOpen={isOpen}
      onClose={onClose}
    >
      <Tabs label="Reasons" tabs={tabs} chosen={chosen} onChoose={setChosen} panelClassName="min-h-48 pt-2">
        {chosen === 'waits' && <Waits />}
        {chosen === 'attempts' && <RecentAttempts />}
        {chosen === 'rejections' && <Rejections />}
        {chosen === 'unrouted' && <Unrouted />}
      </Tabs>
    </Dialog>
  )
}

const LIST = 'divide-y divide-line text-sm'

function Waits() {
  return (
    <Loaded query={inboxQueries.waits}>
      {({ waits, count }) =>
        waits.length === 0 ? (
          <EmptyState icon="clock" title="No test is waiting">
            API requests with “wait” appear here while this server holds them.
          </EmptyState>
        ) : (
          <>
            <ul className={LIST}>
              {waits.map(({ waitedMs, waitMs, filter }, index) => (
                <li key={index} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
                  <span className="flex grow flex-wrap gap-1">
                    {filter.length === 0 && 'any mail'}
                    {filter.map(({ name, value }) => (
                      <Badge key={name} tone="accent">
                        {name}: <bdi>{visibleText(value)}</bdi>
                      </Badge>
                    ))}
                  </span>
                  <span className="text-xs text-quiet">
                    waiting for {seconds(waitedMs)} of {seconds(waitMs)} s
                  </span>
                </li>
              ))}
            </ul>
            {count > waits.length && <p className="text-sm text-quiet">and {count - waits.length} more</p>}
          </>
        )
      }
    </Loaded>
  )
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1000)
}

function Rejections() {
  const { team } = useSession()
  return (
    <Loaded query={inboxQueries.rejections}>
      {(all) => <RejectionList rejections={rejectionGroups(all, team)} />}
    </Loaded>
  )
}

function RejectionList({ rejections }: { rejections: RejectionGroup[] }) {
  if (rejections.length === 0) return <EmptyState icon="check" title="No mail was rejected" />
  return (
    <ul className={LIST}>
      {rejections.map(({ at, from, to, code, reason, count }, index) => (
        <li key={index} className="py-2">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone="danger">{code === 'set_aside' ? 'set aside' : code}</Badge>{' '}
            <bdi className="font-medium">{visibleText(to)}</bdi>
            <span className="ml-auto text-xs text-quiet">
              {count > 1 && `${count.toLocaleString('en')} times, last `}
              <RelativeTime at={at} />
            </span>
          </p>
          <p className="text-quiet">
            {visibleText(reason)} Sender: <bdi>{visibleText(from) || 'none'}</bdi>.
          </p>
        </li>
      ))}
    </ul>
  )
}

function Unrouted() {
  return (
    <Loaded query={inboxQueries.unrouted}>
      {({ mails }) =>
        mails.length === 0 ? (
          <EmptyState icon="check" title="All mail was delivered">
            Mail to domains that no team has is under “Other addresses”.
          </EmptyState>
        ) : (
          <ul className={LIST}>
            {mails.map((mail) => (
              <UnroutedMail key={mail.id} mail={mail} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function UnroutedMail({ mail }: { mail: Outputs['inbox']['unrouted']['list']['mails'][number] }) {
  const { id, domain, mailbox } = mail
  const retry = useAction(() => trpc.inbox.unrouted.retry.mutate({ id, domain, mailbox }), {
    changes: ['unrouted'],
    onDone: () => notify('Mail delivered.'),
  })
  return (
    <li className="space-y-2 py-2">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 grow">
          <p>
            <bdi className="font-medium">{visibleText(mail.to)}</bdi>{' '}
            <span className="text-xs text-quiet">
              <RelativeTime at={mail.receivedAt} />
            </span>
          </p>
          <p>
            <bdi>{visibleText(mail.subject) || '(no subject)'}</bdi>
          </p>
          {mail.setAside !== null && (
            <p>
              <Badge tone="danger">set aside</Badge> {visibleText(mail.setAside)} The mail is kept. Retry once the cause
              is fixed.
            </p>
          )}
          <p className="text-quiet">
            {mail.attempts} {mail.attempts === 1 ? 'attempt' : 'attempts'}. Last error:{' '}
            {visibleText(mail.lastError ?? 'none')}
          </p>
        </div>
        <Button icon="refresh" isBusy={retry.isRunning} onClick={() => retry.run()}>
          Retry
        </Button>
      </div>
      {retry.failure && <FailureNotice failure={retry.failure} />}
    </li>
  )
}
