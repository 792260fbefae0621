import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { classNames } from '../ui/class-names.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { numberText } from './count-text.ts'

type ItemProps = {
  href: string
  icon: IconName | null
  isCurrent: boolean
  count?: ItemCount | undefined
  children: ReactNode
}

/** A link of the sidebar. */
export function Item({ href, icon, isCurrent, count, children }: ItemProps) {
  return (
    <li>
      <Link
        href={href}
        aria-current={isCurrent ? 'true' : undefined}
        className={classNames(
          'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 max-md:min-h-11',
          isCurrent ? 'bg-accent-soft font-medium text-accent' : 'hover:bg-hover',
        )}
      >
        {icon && <Icon name={icon} />}
        <bdi className="grow truncate">{children}</bdi>
        {count !== undefined && <Count {...count} />}
      </Link>
    </li>
  )
}

/** `unread` is a part of `total`. Without `isExact`, both may be larger. */
export type ItemCount = { total: number; unread?: number; isExact?: boolean }

export function Count({ total, unread = 0, isExact = true }: ItemCount) {
  return (
    <span className="flex items-center gap-1.5 text-xs tabular-nums text-quiet">
      {unread > 0 && (
        <span className="rounded-full bg-accent px-1.5 font-medium text-on-accent">
          {numberText({ count: unread, isExact })}
          <span className="sr-only"> unread of</span>
        </span>
      )}
      {numberText({ count: total, isExact })}
    </span>
  )
}
