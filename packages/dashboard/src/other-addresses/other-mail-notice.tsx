import { Link } from 'wouter'
import { messagesText } from '../inbox/count-text.ts'
import { visibleText } from '../inbox/safe-text.ts'
import { useOtherSummary } from './use-other-summary.ts'

/** In an inbox without mail: where the mail is that did arrive. */
export function OtherMailNotice() {
  const summary = useOtherSummary()
  const [first] = summary?.domains ?? []
  if (!summary || !first) return null
  const { count, domains } = summary
  return (
    <p role="status" className="rounded-md bg-warn-soft px-4 py-3 text-sm">
      {messagesText({ count })} arrived for <bdi className="break-all font-medium">{visibleText(first.domain)}</bdi>
      {domains.length > 1 && ' and other domains'}, which no team has.{' '}
      <Link href="/other" className="link">
        Read {count === 1 ? 'it' : 'them'} under Other addresses
      </Link>
    </p>
  )
}
