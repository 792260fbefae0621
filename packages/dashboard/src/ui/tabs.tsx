import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Tab<Name extends string> = { name: Name; text: ReactNode }

type Props<Name extends string> = {
  label: string
  tabs: Tab<Name>[]
  chosen: Name
  onChoose: (name: Name) => void
  children: ReactNode
  className?: string
  panelClassName?: string
}

/** Arrow keys move between tabs; only the selected panel is rendered. */
export function Tabs<Name extends string>(props: Props<Name>) {
  const { label, tabs, chosen, onChoose, children, className, panelClassName } = props
  return (
    <Base.Root
      value={chosen}
      onValueChange={(name: Name) => onChoose(name)}
      className={classNames('min-w-0', className)}
    >
      <Base.List
        aria-label={label}
        activateOnFocus
        // Positioned, because Base UI scrolls the selected tab into view relative to the nearest positioned ancestor.
        className="relative flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none]"
      >
        {tabs.map(({ name, text }) => (
          <Base.Tab
            key={name}
            value={name}
            className={
              '-mb-px whitespace-nowrap border-b-2 border-transparent px-2.5 py-2 text-sm text-quiet hover:text-ink ' +
              'focus-visible:-outline-offset-2 data-active:border-accent data-active:font-medium data-active:text-ink'
            }
          >
            {text}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={chosen} className={classNames('min-w-0 focus-visible:-outline-offset-2', panelClassName)}>
        {children}
      </Base.Panel>
    </Base.Root>
  )
}
