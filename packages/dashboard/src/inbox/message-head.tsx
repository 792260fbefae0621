import type { MessageDetail } from '@mailhatch/sdk'
import type { ReactNode } from 'react'
import { useSession } from '../session.tsx'
import { Badge } from '../ui/badge.tsx'
import { RelativeTime, useNow } from '../ui/relative-time.tsx'
import { relativeText } from '../ui/time-text.ts'
import { sizeText, visibleText } from './safe-text.ts'
import { useMailSource } from './mail-source.ts'
import type { Term } from './search-terms.ts'

const DAY_MS = 86_400_000

type Props = { message: MessageDetail; onFilter: (term: Term) => void }

/** Sender, recipient, time and retention. A click on an address or a tag filters by it. */
export function MessageHead({ message, onFilter }: Props) {
  const { from, fromName, to, tag, receivedAt, size, parse } = message
  return (
    <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 text-sm">
      <Line name="From">
        {fromName && <bdi className="font-medium">{visibleText(fromName)} </bdi>}
        <FilterButton what="sender" value={from} onFilter={() => onFilter({ name: 'from', value: from })} />
      </Line>
      <Line name="To">
        <FilterButton what="recipient" value={to} onFilter={() => onFilter({ name: 'to', value: to })} />
        {tag !== null && <TagButton tag={tag} onFilter={() => onFilter({ name: 'tag', value: tag })} />}
      </Line>
      <Line name="Received">
        <RelativeTime at={receivedAt} />
        {size !== null && ` · ${sizeText(size)}`}
        <Retention receivedAt={receivedAt} />
        {parse !== 'complete' && (
          <span className="ml-2">
            <Badge tone="warn">
              {parse === 'failed' ? 'could not be parsed, see Raw' : 'too large, parsed in part'}
            </Badge>
          </span>
        )}
      </Line>
    </dl>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

function FilterButton({ what, value, onFilter }: { what: string; value: string; onFilter: () => void }) {
  const { isInbox } = useMailSource()
  if (value === '') return <span className="text-quiet">(none)</span>
  if (!isInbox) return <bdi className="break-all">{visibleText(value)}</bdi>
  return (
    <button
      type="button"
      title={`Filter by ${what} ${visibleText(value)}`}
      onClick={onFilter}
      className="min-h-6 break-all text-left hover:text-accent hover:underline"
    >
      <bdi>{visibleText(value)}</bdi>
    </button>
  )
}

function TagButton({ tag, onFilter }: { tag: string; onFilter: () => void }) {
  const { isInbox } = useMailSource()
  const badge = (
    <Badge tone="accent">
      <bdi>+{visibleText(tag)}</bdi>
    </Badge>
  )
  if (!isInbox) return <span className="ml-2">{badge}</span>
  return (
    <button type="button" title={`Filter by tag ${tag}`} onClick={onFilter} className="ml-2 rounded hover:underline">
      {badge}
    </button>
  )
}

function Retention({ receivedAt }: { receivedAt: string }) {
  const { retentionDays } = useSession().team
  const now = useNow()
  const { isInbox } = useMailSource()
  if (!isInbox) return null
  if (retentionDays === null) return <span className="text-quiet"> · kept until you delete it</span>
  return (
    <span className="text-quiet"> · deleted {relativeText(Date.parse(receivedAt) + retentionDays * DAY_MS, now)}</span>
  )
}
