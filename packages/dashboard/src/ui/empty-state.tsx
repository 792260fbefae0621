import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** Explains why a list is empty and what to do next. */
export function EmptyState({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <span className="text-quiet">
        <Icon name={icon} size={28} />
      </span>
      <p className="font-medium">{title}</p>
      <div className="max-w-prose space-y-3 text-quiet">{children}</div>
    </div>
  )
}
