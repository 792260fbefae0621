import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { IconButton } from './button.tsx'
import { useWhileOpen } from './use-while-open.ts'

export const SCRIM =
  'fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-starting-style:opacity-0 data-ending-style:opacity-0'
export const POPUP =
  'fixed left-1/2 top-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col ' +
  'overflow-hidden rounded-lg border border-line bg-raised shadow-float transition duration-150 ' +
  'data-starting-style:scale-[0.98] data-starting-style:opacity-0 data-ending-style:opacity-0'

type Props = {
  title: string
  description?: ReactNode
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  width?: 'small' | 'large'
  /** A click outside or Escape does not close the dialog. */
  mustAnswer?: boolean
}

export function Dialog(props: Props) {
  const { isOpen, onClose, width = 'small', mustAnswer = false } = props
  const { title, description, children } = useWhileOpen(isOpen, props)
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={mustAnswer}
      onOpenChange={(open, details) => {
        if (mustAnswer && details.reason === 'escape-key') return
        if (!open) onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={SCRIM} />
        <Base.Popup className={classNames(POPUP, width === 'large' ? 'max-w-3xl' : 'max-w-md')}>
          <header className="flex items-start gap-4 px-5 pt-4">
            <div className="min-w-0 grow">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {description && <Base.Description className="mt-0.5 text-quiet">{description}</Base.Description>}
            </div>
            {!mustAnswer && <Base.Close render={<IconButton icon="close" label="Close" className="-mr-2 -mt-1" />} />}
          </header>
          <div className="min-h-0 overflow-y-auto px-5 pb-5 pt-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
