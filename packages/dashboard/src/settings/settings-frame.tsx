import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { classNames } from '../ui/class-names.ts'
import { Icon } from '../ui/icon.tsx'
import { SECTIONS } from './sections.ts'

/** The settings menu next to the page. On a phone, the menu is its own page at /settings. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const isMenuPage = path === '/settings'
  return (
    <div className="flex min-h-full max-md:flex-col">
      <nav
        aria-label="Settings"
        className={classNames(
          'shrink-0 border-line bg-sunken md:sticky md:top-0 md:w-52 md:self-start md:min-h-[calc(100dvh-3rem)] md:border-r md:p-3',
          isMenuPage ? 'max-md:border-b max-md:p-2' : 'max-md:hidden',
        )}
      >
        <ul className="space-y-0.5">
          {SECTIONS.map(({ path: target, text, icon }) => (
            <li key={target} className={classNames(target === '/settings' && 'max-md:hidden')}>
              <Link
                href={target}
                aria-current={target === path ? 'page' : undefined}
                className={classNames(
                  'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 text-sm transition-colors max-md:min-h-11',
                  target === path ? 'bg-accent-soft font-medium text-accent' : 'text-ink hover:bg-hover',
                )}
              >
                <Icon name={icon} />
                <span className="grow">{text}</span>
                <span className="text-quiet md:hidden">
                  <Icon name="next" size={12} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-w-0 grow">
        {!isMenuPage && (
          <Link href="/settings" className="link inline-flex min-h-8 items-center gap-1 px-4 pt-3 text-sm md:hidden">
            <Icon name="back" size={12} /> Settings
          </Link>
        )}
        {children}
      </div>
    </div>
  )
}
