import type { MessageSummary } from '@mailhatch/sdk'
import type { CSSProperties } from 'react'
import { Link } from 'wouter'
import { classNames } from '../ui/class-names.ts'
import { copyText } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { notify } from '../ui/notices.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import type { Preview } from './previews.ts'
import { visibleText } from './safe-text.ts'

export const ROW_PIXELS = 98

type Props = {
  message: MessageSummary
  /** Undefined until it is loaded. */
  preview: Preview | undefined
  href: string
  position: { index: number; count: number }
  isOpen: boolean
  isRead: boolean
  isSelected: boolean
  /** Tab stops at this row only; shortcuts move to the others. */
  isStop: boolean
  style: CSSProperties
  onSelect: () => void
  onFocus: () => void
}

export function MessageRow(props: Props) {
  const { message, preview, href, position, isOpen, isRead, isSelected, isStop, style, ...on } = props
  const sender = visibleText(message.fromName || message.from || '(no sender)')
  const subject = visibleText(message.subject) || '(no subject)'
  const code = preview?.code ?? null
  return (
    <li
      aria-setsize={position.count}
      aria-posinset={position.index + 1}
      style={style}
      className={classNames(
        'group absolute inset-x-0 top-0 flex border-b border-line',
        isOpen ? 'bg-accent-soft' : isSelected ? 'bg-hover' : 'hover:bg-hover',
      )}
    >
      <label className="relative flex w-8 shrink-0 cursor-pointer justify-center pt-3">
        <input
          type="checkbox"
          checked={isSelected}
          onChange={on.onSelect}
          tabIndex={isStop ? 0 : -1}
          aria-label={`Select ${subject}`}
          className="peer size-4 accent-accent opacity-0 checked:opacity-100 focus-visible:opacity-100 group-hover:opacity-100"
        />
        {!isRead && (
          <span className="pointer-events-none absolute top-4 size-2 rounded-full bg-accent group-hover:opacity-0 peer-checked:opacity-0 peer-focus-visible:opacity-0" />
        )}
      </label>
      <Link
        href={href}
        data-message={message.id}
        tabIndex={isStop ? 0 : -1}
        aria-current={isOpen ? 'true' : undefined}
        onFocus={on.onFocus}
        className="min-w-0 grow rounded py-2 pl-1 pr-3 text-sm focus-visible:-outline-offset-2"
      >
        <span className="flex items-baseline gap-2">
          <bdi className={classNames('grow truncate', isRead ? 'text-quiet' : 'font-semibold')}>{sender}</bdi>
          <span className="text-xs text-quiet">
            <RelativeTime at={message.receivedAt} isFocusable={false} />
          </span>
        </span>
        <bdi className={classNames('block truncate', !isRead && 'font-medium')}>
          {!isRead && <span className="sr-only">Unread: </span>}
          <span data-subject>{subject}</span>
        </bdi>
        <bdi className="block h-5 truncate text-quiet">{visibleText(preview?.text ?? '')}</bdi>
        <span className="flex h-6 items-center gap-1.5 text-xs text-quiet">
          <bdi className="grow truncate">{visibleText(message.to)}</bdi>
          {message.attachmentCount > 0 && (
            <span className="flex items-center">
              <Icon name="attachment" size={12} />
              <span className="sr-only">
                {message.attachmentCount === 1 ? '1 attachment' : `${message.attachmentCount} attachments`}
              </span>
            </span>
          )}
          {/* As wide as the button that covers it: a link must not contain a button. */}
          {code !== null && (
            <span aria-hidden="true" className={classNames(CHIP, 'invisible')}>
              {code}
            </span>
          )}
        </span>
      </Link>
      {code !== null && (
        <button
          type="button"
          tabIndex={isStop ? 0 : -1}
          aria-label={`Copy code ${code}`}
          title="Copy code"
          onClick={() => void copyCode(code)}
          className={classNames(CHIP, 'absolute bottom-2 right-3 bg-accent-soft text-accent hover:border-accent')}
        >
          {code}
        </button>
      )}
    </li>
  )
}

const CHIP =
  'max-w-40 shrink-0 truncate rounded border border-accent/40 px-1.5 font-mono text-xs/[1.375rem] font-semibold tracking-wider'

async function copyCode(code: string): Promise<void> {
  if (await copyText(code)) notify(`Copied ${code}`)
}
