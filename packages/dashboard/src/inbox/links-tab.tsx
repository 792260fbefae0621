import type { Link, LinkKind, MessageDetail } from '@mailhatch/sdk'
import { Badge } from '../ui/badge.tsx'
import { buttonClass } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { hostOf, isWebAddress, visibleText } from './safe-text.ts'

const KINDS: Record<LinkKind, string | null> = {
  verify: 'Confirm',
  reset: 'Reset password',
  magic: 'Sign in',
  unsubscribe: 'Unsubscribe',
  other: null,
}

export function LinksTab({ message: { links } }: { message: MessageDetail }) {
  if (links.length === 0) return <EmptyState icon="outside" title="This message has no links" />
  return (
    <ul className="divide-y divide-line">
      {links.map((link, index) => (
        <LinkItem key={index} link={link} />
      ))}
    </ul>
  )
}

/** Shows the whole URL, so that users see it before they click. Mailhatch itself never requests it. */
function LinkItem({ link: { url, text, kind } }: { link: Link }) {
  const host = hostOf(url)
  return (
    <li className="flex items-start gap-3 px-4 py-2.5 text-sm">
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="font-medium">{visibleText(text) || '(no text)'}</bdi>
          {KINDS[kind] && <Badge tone="accent">{KINDS[kind]}</Badge>}
          {host && <Badge>{host}</Badge>}
        </p>
        <p className="break-all font-mono text-xs text-quiet">{visibleText(url)}</p>
      </div>
      <CopyButton text={url} what="Copy link" />
      {isWebAddress(url) && (
        <a href={url} target="_blank" rel="noopener noreferrer" className={buttonClass('plain')}>
          <Icon name="outside" size={14} /> Open
          <span className="sr-only">{visibleText(url)} in a new tab</span>
        </a>
      )}
    </li>
  )
}
