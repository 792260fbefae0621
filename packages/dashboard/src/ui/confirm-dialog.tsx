import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useState, type ReactNode } from 'react'
import type { Failure } from '../api/failure.ts'
import { Button, Buttons } from './button.tsx'
import { classNames } from './class-names.ts'
import { POPUP, SCRIM } from './dialog.tsx'
import { FailureNotice } from './failure-notice.tsx'
import { TextField } from './field.tsx'
import { useWhileOpen } from './use-while-open.ts'

type Props = {
  title: string
  children: ReactNode
  /** The label of the button. */
  action: string
  isOpen: boolean
  isBusy?: boolean
  failure?: Failure | null
  /** Text the user must type first, for large deletions. */
  typed?: string
  isDanger?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks for confirmation before an action that cannot be undone. */
export function ConfirmDialog(props: Props) {
  const { isOpen, onClose } = props
  const { title, children } = useWhileOpen(isOpen, props)
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={SCRIM} />
        <AlertDialog.Popup className={classNames(POPUP, 'max-w-md')}>
          <div className="space-y-4 overflow-y-auto p-5">
            <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div />} className="text-quiet">
              {children}
            </AlertDialog.Description>
            <Answer {...props} />
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

/** A component inside the popup, so that its state resets when the dialog closes. */
function Answer({ action, typed, isBusy = false, isDanger = true, failure, onConfirm, onClose }: Props) {
  const [given, setGiven] = useState('')
  const isAllowed = typed === undefined || given.trim() === typed
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (isAllowed) onConfirm()
      }}
    >
      {typed !== undefined && (
        <TextField
          label={`Type “${typed}” to confirm`}
          value={given}
          autoComplete="off"
          onChange={(event) => setGiven(event.target.value)}
        />
      )}
      {failure && <FailureNotice failure={failure} />}
      <Buttons className="justify-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant={isDanger ? 'danger' : 'primary'} isBusy={isBusy} disabled={!isAllowed}>
          {action}
        </Button>
      </Buttons>
    </form>
  )
}
