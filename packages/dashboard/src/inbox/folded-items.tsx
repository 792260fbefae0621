import { useState, type ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from './safe-text.ts'
import { Count } from './sidebar-item.tsx'

/** More slow the page down. A search finds the others. */
const ITEMS_MAX = 200

type Props = { text: string; items: ReactNode[]; isOpenAtFirst: boolean }

/** Several items of the sidebar behind one line. */
export function FoldedItems({ text, items, isOpenAtFirst }: Props) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-left hover:bg-hover max-md:min-h-11"
      >
        <bdi className="grow truncate">{visibleText(text)}</bdi>
        <Count total={items.length} /> <span className="sr-only">tags</span>
        <span className="text-quiet">
          <Icon name={isOpen ? 'down' : 'next'} size={12} />
        </span>
      </button>
      {isOpen && <ul className="pl-3">{items.slice(0, ITEMS_MAX)}</ul>}
      {isOpen && items.length > ITEMS_MAX && (
        <p className="px-2.5 pl-5 text-xs text-quiet">The last {ITEMS_MAX}. Search for the others with tag:</p>
      )}
    </li>
  )
}
