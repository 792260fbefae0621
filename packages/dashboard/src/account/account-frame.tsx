import type { ReactNode } from 'react'
import { Brand } from '../shell/brand.tsx'
import { useTitle } from '../ui/page.tsx'

type Props = { title: string; description?: ReactNode; children: ReactNode; footer?: ReactNode }

/** Layout of the pages outside a team: one centred form. */
export function AccountFrame({ title, description, children, footer }: Props) {
  useTitle(title)
  return (
    <main className="flex min-h-dvh flex-col items-center bg-sunken px-4 py-[clamp(1.5rem,12vh,8rem)]">
      <Brand size={28} />
      <div className="mt-6 w-full max-w-sm rounded-lg border border-line bg-raised p-6">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {description && <div className="mt-1 text-quiet">{description}</div>}
        <div className="mt-5">{children}</div>
      </div>
      {footer && <div className="mt-4 text-center text-sm text-quiet">{footer}</div>}
    </main>
  )
}
