import type { ReactNode } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { RemoveAllDialog } from './remove-all-dialog.tsx'
import type { Term } from './search-terms.ts'
import { MissingMailDialog } from './missing-mail-dialog.tsx'

export type DialogName = 'sidebar' | 'missingMail' | 'removeAll'

type Props = { shown: DialogName; terms: Term[]; sidebar: ReactNode; onClose: () => void; onRemoved: () => void }

/** Dialogs of the inbox; loaded when the first one opens. */
export default function InboxDialogs({ shown, terms, sidebar, onClose, onRemoved }: Props) {
  return (
    <>
      <Dialog title="Mailboxes and tags" isOpen={shown === 'sidebar'} onClose={onClose}>
        {/* A click on a link closes the dialog. */}
        <div onClick={(event) => event.target instanceof Element && event.target.closest('a') && onClose()}>
          {sidebar}
        </div>
      </Dialog>
      <MissingMailDialog isOpen={shown === 'missingMail'} onClose={onClose} />
      <RemoveAllDialog terms={terms} isOpen={shown === 'removeAll'} onClose={onClose} onDone={onRemoved} />
    </>
  )
}
