import { Link, useRoute } from 'wouter'
import { useSession } from '../session.tsx'
import { classNames } from '../ui/class-names.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Brand } from './brand.tsx'
import { UserMenu } from './user-menu.tsx'

export function TopBar(shows: { onShowShortcuts: () => void; onShowPalette: () => void }) {
  const { team } = useSession()
  const [isSettings] = useRoute('/settings/*?')
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line bg-sunken px-2 print:hidden sm:px-4">
      <Link href="/" className="mr-2 flex rounded-md p-1 max-[26rem]:[&_span]:text-[0px]" aria-label="Mailhatch, inbox">
        <Brand />
      </Link>
      <nav aria-label="Main" className="flex gap-0.5">
        <BarLink href="/" icon="inbox" text="Inbox" isCurrent={!isSettings} />
        <BarLink href="/settings" icon="settings" text="Settings" isCurrent={isSettings} />
      </nav>
      <div className="ml-auto flex min-w-0 items-center gap-2">
        <span className="truncate text-sm text-quiet max-sm:hidden" title={`Team ${team.name}`}>
          {team.name}
        </span>
        <UserMenu {...shows} />
      </div>
    </header>
  )
}

function BarLink({ href, icon, text, isCurrent }: { href: string; icon: IconName; text: string; isCurrent: boolean }) {
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className={classNames(
        'flex min-h-8 items-center gap-1.5 rounded-md px-2.5 text-sm font-medium transition-colors',
        isCurrent ? 'bg-accent-soft text-accent' : 'text-quiet hover:bg-hover hover:text-ink',
      )}
    >
      <Icon name={icon} />
      {text}
    </Link>
  )
}
