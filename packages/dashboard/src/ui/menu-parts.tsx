import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

const ITEM =
  'flex min-h-8 w-full cursor-default select-none items-center gap-2.5 rounded px-2.5 py-1 text-sm outline-none ' +
  'data-highlighted:bg-hover data-disabled:opacity-50'

/** The parts of a menu, built on Base UI. Pages use the wrappers in ui/menu.tsx, which load this file on demand. */
export function MenuPopup({
  trigger,
  align,
  children,
}: {
  trigger: ReactElement
  align: 'start' | 'end'
  children: ReactNode
}) {
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={6} className="z-50 outline-none">
          <Base.Popup className="min-w-44 max-w-80 rounded-lg border border-line bg-raised p-1 shadow-float outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

export type ItemProps = {
  icon?: IconName
  isDanger?: boolean
  onSelect: () => void
  disabled?: boolean
  children: ReactNode
}

export function MenuItem({ icon, isDanger = false, onSelect, disabled = false, children }: ItemProps) {
  return (
    <Base.Item className={classNames(ITEM, isDanger && 'text-danger')} disabled={disabled} onClick={onSelect}>
      {icon && <Icon name={icon} />}
      {children}
    </Base.Item>
  )
}

export type ChoiceProps<Value extends string> = {
  label: string
  value: Value
  choices: { value: Value; text: string }[]
  onChoose: (value: Value) => void
}

/** A radio group; the selected item has a check mark. */
export function MenuChoice<Value extends string>({ label, value, choices, onChoose }: ChoiceProps<Value>) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2.5 pb-0.5 pt-1.5 text-xs text-quiet">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={(chosen: Value) => onChoose(chosen)}>
        {choices.map((choice) => (
          <Base.RadioItem key={choice.value} value={choice.value} closeOnClick={false} className={ITEM}>
            <span className="w-4">
              <Base.RadioItemIndicator>
                <Icon name="check" />
              </Base.RadioItemIndicator>
            </span>
            {choice.text}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  )
}

export function MenuLine() {
  return <Base.Separator className="my-1 h-px bg-line" />
}
