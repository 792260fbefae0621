import { useState } from 'react'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useSession } from '../session.tsx'
import { Button, Buttons } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import type { Mailbox } from './mailboxes-page.tsx'

type Props = { edited: Mailbox | 'new' | null; onClose: () => void }

/** Creates or renames a mailbox. */
export function MailboxDialog({ edited, onClose }: Props) {
  return (
    <Dialog
      title={edited === 'new' || edited === null ? 'New mailbox' : `Rename ${edited.name}`}
      isOpen={edited !== null}
      onClose={onClose}
    >
      {edited !== null && <MailboxForm edited={edited} onClose={onClose} />}
    </Dialog>
  )
}

function MailboxForm({ edited, onClose }: { edited: Mailbox | 'new'; onClose: () => void }) {
  const { team } = useSession()
  const [name, setName] = useState(edited === 'new' ? '' : edited.name)
  const save = useAction(
    () =>
      edited === 'new'
        ? trpc.inbox.mailboxes.create.mutate({ name })
        : trpc.inbox.mailboxes.update.mutate({ id: edited.id, name }),
    { changes: ['mailboxes', 'usage', 'keys'], onDone: onClose },
  )
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        save.run()
      }}
    >
      <TextField
        label="Name"
        required
        autoFocus
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        hint={`${name.trim().toLowerCase() || 'name'}@${team.domain}`}
        value={name}
        problems={save.failure?.details['name']}
        onChange={(event) => setName(event.target.value)}
      />
      {edited !== 'new' && (
        <p className="text-sm text-quiet">
          Stored mail and keys move to the new name. Mail to the old address no longer arrives here.
        </p>
      )}
      {save.failure && <FailureNotice failure={{ ...save.failure, details: {} }} />}
      <Buttons className="justify-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={save.isRunning}>
          {edited === 'new' ? 'Create mailbox' : 'Rename'}
        </Button>
      </Buttons>
    </form>
  )
}
