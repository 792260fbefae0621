import { useEffect, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

type Props = { title: string; description?: ReactNode; actions?: ReactNode; children: ReactNode }

/** A page with its heading, which is also the window title. */
export function Page({ title, description, actions, children }: Props) {
  useTitle(title)
  return (
    <div className="mx-auto w-full max-w-4xl space-y-5 px-4 py-6 sm:px-6">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {description && <p className="mt-1 max-w-prose text-quiet">{description}</p>}
        </div>
        {actions}
      </header>
      {children}
    </div>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mailhatch`
  }, [title])
}

type PanelProps = {
  title?: string
  description?: ReactNode
  actions?: ReactNode
  isFlush?: boolean
  children: ReactNode
}

/** A bordered section; `isFlush` removes the padding for tables and lists. */
export function Panel({ title, description, actions, isFlush = false, children }: PanelProps) {
  return (
    <section className="rounded-lg border border-line bg-raised">
      {title !== undefined && (
        <header className="flex flex-wrap items-start justify-between gap-3 border-b border-line px-4 py-3">
          <div className="min-w-0">
            <h2 className="font-semibold">{title}</h2>
            {description && <p className="mt-0.5 max-w-prose text-sm text-quiet">{description}</p>}
          </div>
          {actions}
        </header>
      )}
      <div className={classNames(!isFlush && 'space-y-4 p-4')}>{children}</div>
    </section>
  )
}
