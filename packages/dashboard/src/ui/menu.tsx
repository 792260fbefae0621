import {
  cloneElement,
  createContext,
  useContext,
  useState,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
} from 'react'
import type { ChoiceProps, ItemProps } from './menu-parts.tsx'

type Parts = typeof import('./menu-parts.tsx')

const PartsContext = createContext<Parts | null>(null)

type Props = {
  /** The button that opens the menu. */
  trigger: ReactElement<ComponentProps<'button'>>
  children: ReactNode
  align?: 'start' | 'end'
}

/** Menus are a third of a page's code and rarely opened, so they load when the pointer or focus reaches the first one. */
export function Menu({ trigger, children, align = 'end' }: Props) {
  const [parts, setParts] = useState<Parts | null>(null)
  const [isWanted, setWanted] = useState(false)
  if (parts && isWanted) {
    return (
      <PartsContext value={parts}>
        <parts.MenuPopup trigger={trigger} align={align}>
          {children}
        </parts.MenuPopup>
      </PartsContext>
    )
  }
  const load = () => void import('./menu-parts.tsx').then(setParts)
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    onPointerEnter: load,
    onFocus: load,
    onClick: () => {
      load()
      setWanted(true)
    },
  })
}

export function MenuItem(props: ItemProps) {
  const parts = useContext(PartsContext)
  return parts && <parts.MenuItem {...props} />
}

/** A radio group; the selected item has a check mark. */
export function MenuChoice<Value extends string>(props: ChoiceProps<Value>) {
  const parts = useContext(PartsContext)
  return parts && <parts.MenuChoice {...props} />
}

export function MenuLine() {
  const parts = useContext(PartsContext)
  return parts && <parts.MenuLine />
}
