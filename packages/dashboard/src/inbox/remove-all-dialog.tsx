import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { notify } from '../ui/notices.ts'
import { messagesText } from './count-text.ts'
import { inboxQueries } from './inbox-queries.ts'
import { filterOf, formatSearch, type Term } from './search-terms.ts'

type Props = { terms: Term[]; isOpen: boolean; onClose: () => void; onDone: () => void }

export function RemoveAllDialog({ terms, isOpen, onClose, onDone }: Props) {
  const searchText = formatSearch(terms)
  // Made once per opening: a time span such as 2h is another time at each rendering, and what was counted is deleted.
  const filter = useMemo(() => filterOf(terms), [searchText, isOpen])
  const remove = useAction(() => trpc.inbox.messages.removeAll.mutate(filter), {
    changes: ['tags', 'mailboxes', 'counts', 'message'],
    onDone({ deleted }) {
      notify(`${messagesText({ count: deleted })} deleted`)
      onClose()
      onDone()
    },
  })
  // Counted when the dialog opens, because mail may have arrived since.
  const { data: count } = useQuery({ ...inboxQueries.matching(filter), enabled: isOpen, staleTime: 0 })
  const what = count ? messagesText(count) : 'every message'
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
        <>
          This deletes <strong>{what}</strong> in all mailboxes, for the whole team. It cannot be undone.
        </>
      ) : (
        <>
          This deletes <strong>{what}</strong> matching <strong>{searchText}</strong>, for the whole team. It cannot be
          undone.
        </>
      )}
    </ConfirmDialog>
  )
}
