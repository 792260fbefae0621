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
  /** A button; it says what the menu is about. */
  trigger: ReactElement<ComponentProps<'button'>>
  children: ReactNode
  align?: 'start' | 'end'
}

/** Menus are a third of the code of a page, and seldom opened: loaded when a hand comes near the first one. */
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

/** One of several; the chosen one has a mark. */
export function MenuChoice<Value extends string>(props: ChoiceProps<Value>) {
  const parts = useContext(PartsContext)
  return parts && <parts.MenuChoice {...props} />
}

export function MenuLine() {
  const parts = useContext(PartsContext)
  return parts && <parts.MenuLine />
}
