import type { Link } from '@mailhatch/sdk'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { hostOf, visibleText } from './safe-text.ts'

/** The main link of the mail, such as the one that confirms an address. Shows its host before a click. */
export function LinkChip({ link: { url, text } }: { link: Link }) {
  return (
    <span className="inline-flex min-h-11 max-w-full items-center rounded-lg border border-line-strong/60 pr-1">
      <a
        href={url}
        title={visibleText(url)}
        target="_blank"
        rel="noopener noreferrer"
        className="flex min-w-0 items-center gap-2 rounded-lg px-3 py-2 text-sm hover:underline"
      >
        <Icon name="outside" size={14} />
        <bdi className="truncate font-medium">{visibleText(text) || 'Link'}</bdi>
        <span className="truncate text-quiet">{hostOf(url)}</span>
      </a>
      <CopyButton text={url} what="Copy link" />
    </span>
  )
}
