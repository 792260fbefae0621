import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { notify } from '../ui/notices.ts'
import { filterOf, formatSearch, type Term } from './search-terms.ts'

type Props = { terms: Term[]; isOpen: boolean; onClose: () => void; onDone: () => void }

export function RemoveAllDialog({ terms, isOpen, onClose, onDone }: Props) {
  const remove = useAction(() => trpc.inbox.messages.removeAll.mutate(filterOf(terms)), {
    changes: ['tags', 'mailboxes', 'usage'],
    onDone({ deleted }) {
      notify(deleted === 1 ? '1 message deleted' : `${deleted.toLocaleString('en')} messages deleted`)
      onClose()
      onDone()
    },
  })
  return (
    <ConfirmDialog
      title={terms.length === 0 ? 'Delete all mail of the team?' : 'Delete all search results?'}
      action="Delete"
      typed="delete"
      isOpen={isOpen}
      isBusy={remove.isRunning}
      failure={remove.failure}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      {terms.length === 0 ? (
        'This deletes every message in every mailbox, for the whole team. It cannot be undone.'
      ) : (
        <>
          This deletes every message that matches <strong>{formatSearch(terms)}</strong>, for the whole team. It cannot
          be undone.
        </>
      )}
    </ConfirmDialog>
  )
}
