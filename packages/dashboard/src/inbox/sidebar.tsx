import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useRoute } from 'wouter'
import { queries } from '../api/queries.ts'
import { useOtherSummary } from '../other-addresses/use-other-summary.ts'
import { useSession } from '../session.tsx'
import { Icon } from '../ui/icon.tsx'
import { inboxQueries } from './inbox-queries.ts'
import { visibleText } from './safe-text.ts'
import { hasTerm, toggleTerm, type Term } from './search-terms.ts'
import { Item, type ItemCount } from './sidebar-item.tsx'
import { groupTags } from './tag-groups.ts'
import { FoldedItems } from './folded-items.tsx'
import type { Place } from './use-inbox-location.ts'

/** Entries shown before "Show all". */
const NAMES_SHOWN = 12

type Props = { terms: Term[]; hrefOf: (change: Partial<Place>) => string; onShowMissingMail: () => void }

export function Sidebar({ terms, hrefOf, onShowMissingMail }: Props) {
  const { team } = useSession()
  const { data: mailboxes = [] } = useQuery(queries.mailboxes)
  const { data: tags = [] } = useQuery(inboxQueries.tags)
  const { data: waits } = useQuery(inboxQueries.waits)
  const { data: counts } = useQuery(inboxQueries.counts)
  const ofMailbox = new Map(counts?.mailboxes.map((count) => [count.id, count]))
  const others = useOtherSummary()
  const [isOther] = useRoute('/other/*?')

  const item = (term: Term, text: string, count?: ItemCount) => (
    <Item
      key={term.value}
      href={hrefOf({ id: null, terms: toggleTerm(terms, term) })}
      icon={term.name === 'mailbox' ? 'mailbox' : null}
      isCurrent={hasTerm(terms, term)}
      count={count}
    >
      {visibleText(text)}
    </Item>
  )

  return (
    <nav aria-label="Mailboxes and tags" className="space-y-5 p-2 text-sm">
      <ul>
        <Item
          href={hrefOf({ id: null, terms: [] })}
          icon="inbox"
          isCurrent={terms.length === 0 && !isOther}
          count={counts}
        >
          All mail
        </Item>
        {others && (
          <Item
            href="/other"
            icon="globe"
            isCurrent={isOther}
            count={others.count > 0 ? { total: others.count } : undefined}
          >
            Other addresses
          </Item>
        )}
      </ul>
      <Group
        title="Mailboxes"
        items={mailboxes.map(({ id, name, address, domain }) =>
          item({ name: 'mailbox', value: address }, domain === team.domain ? name : address, ofMailbox.get(id)),
        )}
      />
      <Group
        title="Tags"
        items={groupTags(tags).map((entry) => {
          const items = entry.tags.map(({ tag, count }) =>
            item({ name: 'tag', value: tag }, `+${tag}`, { total: count }),
          )
          if (entry.kind === 'tag') return items
          const isCurrent = entry.tags.some(({ tag }) => hasTerm(terms, { name: 'tag', value: tag }))
          return <FoldedItems key={entry.kind + entry.text} text={entry.text} items={items} isOpenAtFirst={isCurrent} />
        })}
      />
      <button
        type="button"
        onClick={onShowMissingMail}
        className="flex min-h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-left hover:bg-hover max-md:min-h-11"
      >
        <Icon name="clock" />
        <span className="grow">Missing mail?</span>
        {waits !== undefined && waits.count > 0 && (
          <span className="text-xs tabular-nums text-quiet">{waits.count} waiting</span>
        )}
      </button>
    </nav>
  )
}

function Group({ title, items }: { title: string; items: ReactNode[] }) {
  const [isWhole, setWhole] = useState(false)
  if (items.length === 0) return null
  return (
    <section>
      <h2 className="px-2.5 pb-1 text-xs font-medium text-quiet">{title}</h2>
      <ul>{isWhole ? items : items.slice(0, NAMES_SHOWN)}</ul>
      {items.length > NAMES_SHOWN && (
        <button type="button" onClick={() => setWhole(!isWhole)} className="link min-h-6 px-2.5 text-xs">
          {isWhole ? 'Show fewer' : `Show all ${items.length}`}
        </button>
      )}
    </section>
  )
}
