import type { MailAddress, MessageDetail } from '@mailhatch/sdk'
import { useState, type ReactNode } from 'react'
import { usePreference } from '../preferences.ts'
import { useSession } from '../session.tsx'
import { Badge } from '../ui/badge.tsx'
import { RelativeTime, useNow } from '../ui/relative-time.tsx'
import { exactText, relativeText } from '../ui/time-text.ts'
import { addressLines, isSame } from './address-lines.ts'
import { sizeText, visibleText } from './safe-text.ts'
import { useMailSource } from './mail-source.ts'
import type { Term } from './search-terms.ts'

const DAY_MS = 86_400_000
/** Addresses shown before "and … more". */
const ADDRESSES_SHOWN = 3
/** Longer than real names and addresses. All of it is under Headers. */
const ADDRESS_CHARS_SHOWN = 150

type Props = { message: MessageDetail; onFilter: (term: Term) => void }

/** Sender, recipients, times and retention. A click on the sender, the recipient of this copy or its tag filters by it. */
export function MessageHead({ message, onFilter }: Props) {
  const { from, fromName, to, replyTo, date, receivedAt, size, parse } = message
  const zone = usePreference('zone')
  return (
    <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 text-sm">
      <Line name="From">
        <Named name={fromName || null}>
          <FilterButton what="sender" value={from} onFilter={() => onFilter({ name: 'from', value: from })} />
        </Named>
      </Line>
      {addressLines(message).map(({ name, addresses, note }) => (
        <Line key={name} name={name}>
          <Addresses addresses={addresses}>
            {(one) =>
              name !== 'Cc' && isSame(one.address, to) ? (
                <Recipient message={message} name={one.name} onFilter={onFilter} />
              ) : (
                <AddressText {...one} />
              )
            }
          </Addresses>
          {note && <span className="text-quiet"> ({note})</span>}
        </Line>
      ))}
      {replyTo.length > 0 && (
        <Line name="Reply to">
          <Addresses addresses={replyTo}>{(one) => <AddressText {...one} />}</Addresses>
        </Line>
      )}
      <Line name="Date">
        {date === null ? (
          <span className="text-quiet">(missing or not valid)</span>
        ) : (
          <time dateTime={date}>{exactText(Date.parse(date), zone)}</time>
        )}
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

/** A list that is folded if it is long. */
function Addresses({
  addresses,
  children,
}: {
  addresses: MailAddress[]
  children: (address: MailAddress) => ReactNode
}) {
  const [isWhole, setWhole] = useState(false)
  const more = addresses.length - ADDRESSES_SHOWN
  const shown = isWhole ? addresses : addresses.slice(0, ADDRESSES_SHOWN)
  return (
    <>
      {shown.map((address, index) => (
        // The same address may be in the list twice.
        <span key={index}>
          {index > 0 && ', '}
          {children(address)}
        </span>
      ))}
      {more > 0 && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="link ml-2 min-h-6 whitespace-nowrap"
        >
          {isWhole ? 'Show fewer' : `and ${more.toLocaleString('en')} more`}
        </button>
      )}
    </>
  )
}

function AddressText({ address, name }: MailAddress) {
  return (
    <bdi className="break-all">{name === null ? shortText(address) : `${shortText(name)} <${shortText(address)}>`}</bdi>
  )
}

function Recipient({ message: { to, tag }, name, onFilter }: Props & { name: string | null }) {
  return (
    <>
      <Named name={name}>
        <FilterButton what="recipient" value={to} onFilter={() => onFilter({ name: 'to', value: to })} />
      </Named>
      {/* A space, not a margin, so that a tag on a line of its own is not indented. */}
      {tag !== null && ' '}
      {tag !== null && <TagButton tag={tag} onFilter={() => onFilter({ name: 'tag', value: tag })} />}
    </>
  )
}

/** An address after its name, in angle brackets as in `AddressText`. */
function Named({ name, children }: { name: string | null; children: ReactNode }) {
  if (name === null) return children
  return (
    <>
      <bdi>{shortText(name)}</bdi> &lt;{children}&gt;
    </>
  )
}

function shortText(text: string): string {
  return visibleText(text.length > ADDRESS_CHARS_SHOWN ? `${text.slice(0, ADDRESS_CHARS_SHOWN)}…` : text)
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
  if (!isInbox) return badge
  return (
    <button type="button" title={`Filter by tag ${tag}`} onClick={onFilter} className="rounded hover:underline">
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
