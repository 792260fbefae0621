import type { ComponentProps } from 'react'
import { useSession } from '../session.tsx'
import { Icon } from '../ui/icon.tsx'

export function UserButton(props: ComponentProps<'button'>) {
  const { me } = useSession()
  return (
    <button
      type="button"
      aria-label={`Account of ${me.name || me.email}`}
      className="inline-flex h-8 items-center gap-1 rounded-md px-2 text-quiet transition-colors hover:bg-hover hover:text-ink"
      {...props}
    >
      <Icon name="user" />
      <Icon name="down" size={12} />
    </button>
  )
}
