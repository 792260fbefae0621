import type { ReactNode } from 'react'
import { setPreference, usePreference } from '../preferences.ts'
import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'

type Props = {
  label: string
  /** What the copy button copies. */
  code: string
  /** The code as shown. */
  children: ReactNode
}

/** Long code over the full height of the page, with a choice between wrapped and long lines. */
export function CodeView({ label, code, children }: Props) {
  const isWrapped = usePreference('wrap') === 'on'
  return (
    <figure className="rounded-md border border-line bg-sunken">
      <figcaption className="flex items-center gap-2 border-b border-line py-0.5 pl-3 pr-1 text-xs text-quiet print:hidden">
        <span className="grow">{label}</span>
        <button
          type="button"
          aria-pressed={isWrapped}
          onClick={() => setPreference('wrap', isWrapped ? 'off' : 'on')}
          className={classNames(
            'min-h-6 rounded px-2',
            isWrapped ? 'bg-accent-soft font-medium text-accent' : 'hover:bg-hover hover:text-ink',
          )}
        >
          Wrap lines
        </button>
        <CopyButton text={code} what={`Copy: ${label}`} />
      </figcaption>
      <pre
        tabIndex={0}
        className={classNames(
          'px-3 py-2.5 font-mono text-xs/relaxed focus-visible:-outline-offset-2 print:whitespace-pre-wrap',
          isWrapped ? 'whitespace-pre-wrap break-all' : 'overflow-x-auto whitespace-pre',
        )}
      >
        {children}
      </pre>
    </figure>
  )
}
