import type { ReactNode } from 'react'
import { navigateIfThere } from '../server-reach.ts'

/** A link to a page of the server outside the app. */
export function ServerLink({ href, className, children }: { href: string; className: string; children: ReactNode }) {
  return (
    <a
      href={href}
      className={className}
      onClick={(event) => {
        // Opens in another tab or window, so the app stays.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        void navigateIfThere(() => location.assign(href))
      }}
    >
      {children}
    </a>
  )
}
