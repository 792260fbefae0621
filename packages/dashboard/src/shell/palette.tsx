import { Dialog as Base } from '@base-ui/react/dialog'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { hasModifier } from '../keyboard.ts'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { POPUP, SCRIM } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { findCommands, type Command } from './command-filter.ts'
import { useCommands, useSearchCommand } from './use-commands.ts'

type Props = { onClose: () => void; onShowShortcuts: () => void }

/** The command palette: type to filter, press Enter to run. */
export default function Palette({ onClose, onShowShortcuts }: Props) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={SCRIM} />
        <Base.Popup className={classNames(POPUP, 'max-w-lg')}>
          <Base.Title className="sr-only">Commands</Base.Title>
          <Chooser onClose={onClose} onShowShortcuts={onShowShortcuts} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

function Chooser({ onClose, onShowShortcuts }: Props) {
  const listId = useId()
  const [typed, setTyped] = useState('')
  const [chosenId, setChosenId] = useState<string | null>(null)
  const commands = [...findCommands(useCommands({ onShowShortcuts }), typed), ...useSearchCommand(typed)]
  const index = Math.max(
    0,
    commands.findIndex(({ id }) => id === chosenId),
  )
  const optionId = (place: number) => `${listId}-${place}`

  function run(command: Command | undefined): void {
    if (!command) return
    // Close first, because the command may open another dialog.
    onClose()
    command.run()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setChosenId(commands.at((index + step) % commands.length)?.id ?? null)
    else if (event.key === 'Enter') run(commands[index])
    else if (hasModifier(event) && event.key.toLowerCase() === 'k') {
      if (!event.repeat) onClose()
    } else return
    event.preventDefault()
  }

  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line pl-4 pr-2 text-quiet">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search commands, mailboxes and mail"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={listId}
          aria-activedescendant={commands.length > 0 ? optionId(index) : undefined}
          placeholder="Search commands, mailboxes and mail"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setChosenId(null)
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 grow bg-transparent text-base text-ink outline-none max-sm:text-lg"
        />
        <Base.Close render={<IconButton icon="close" label="Close" />} />
      </div>
      <ul
        id={listId}
        role="listbox"
        aria-label="Commands"
        tabIndex={-1}
        className="h-96 min-h-0 overflow-y-auto p-1.5 outline-none"
      >
        {commands.map((command, place) => (
          <Option
            key={command.id}
            id={optionId(place)}
            command={command}
            isChosen={place === index}
            onPoint={() => setChosenId(command.id)}
            onRun={() => run(command)}
          />
        ))}
      </ul>
    </>
  )
}

type OptionProps = { id: string; command: Command; isChosen: boolean; onPoint: () => void; onRun: () => void }

function Option({ id, command: { text, kind, icon }, isChosen, onPoint, onRun }: OptionProps) {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <li
      ref={item}
      id={id}
      role="option"
      aria-selected={isChosen}
      // Not onPointerEnter: scrolling the list under a resting pointer must not change the selection.
      onPointerMove={isChosen ? undefined : onPoint}
      onClick={onRun}
      className={classNames(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1 text-sm',
        isChosen && 'bg-accent-soft text-accent',
      )}
    >
      <Icon name={icon} />
      <bdi className="min-w-0 grow truncate">{text}</bdi>
      <span className={classNames('shrink-0 whitespace-nowrap text-xs', !isChosen && 'text-quiet')}>{kind}</span>
    </li>
  )
}
