import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { classNames } from '../ui/class-names.ts'
import { Icon, type IconName } from '../ui/icon.tsx'

type ItemProps = {
  href: string
  icon: IconName | null
  isCurrent: boolean
  count?: number | undefined
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
        {count !== undefined && <Count count={count} />}
      </Link>
    </li>
  )
}

export function Count({ count }: { count: number }) {
  return <span className="text-xs tabular-nums text-quiet">{count.toLocaleString('en')}</span>
}
