import type { ReactNode } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { RemoveAllDialog } from './remove-all-dialog.tsx'
import type { Term } from './search-terms.ts'
import { TroublesDialog } from './troubles-dialog.tsx'

export type DialogName = 'sidebar' | 'troubles' | 'removeAll'

type Props = { shown: DialogName; terms: Term[]; sidebar: ReactNode; onClose: () => void; onRemoved: () => void }

/** What opens over the inbox. Loaded when it is first asked for. */
export default function InboxDialogs({ shown, terms, sidebar, onClose, onRemoved }: Props) {
  return (
    <>
      <Dialog title="Mailboxes and tags" isOpen={shown === 'sidebar'} onClose={onClose}>
        {/* A press on a link leads elsewhere, and the dialog is done. */}
        <div onClick={(event) => event.target instanceof Element && event.target.closest('a') && onClose()}>
          {sidebar}
        </div>
      </Dialog>
      <TroublesDialog isOpen={shown === 'troubles'} onClose={onClose} />
      <RemoveAllDialog terms={terms} isOpen={shown === 'removeAll'} onClose={onClose} onDone={onRemoved} />
    </>
  )
}
