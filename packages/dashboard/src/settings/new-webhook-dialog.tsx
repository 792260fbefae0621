import { useState } from 'react'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { isLocalUrl, LocalWebhooks } from '../setup/local-webhooks.tsx'
import { Button, Buttons } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'

type Props = { isOpen: boolean; onClose: () => void; onCreated: (secret: string) => void }

export function NewWebhookDialog({ isOpen, onClose, onCreated }: Props) {
  return (
    <Dialog title="Add endpoint" isOpen={isOpen} onClose={onClose}>
      <WebhookForm onClose={onClose} onCreated={onCreated} />
    </Dialog>
  )
}

function WebhookForm({ onClose, onCreated }: Omit<Props, 'isOpen'>) {
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [mailbox, setMailbox] = useState('')
  const [tag, setTag] = useState('')
  const add = useAction(trpc.webhooks.create.mutate, {
    changes: ['webhooks', 'usage'],
    onDone: ({ secret }) => onCreated(secret),
  })
  const problems = add.failure?.details ?? {}
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        add.run({ url, description, mailbox, tag })
      }}
    >
      <TextField
        label="URL"
        type="url"
        required
        autoFocus
        placeholder="https://shop.example/hooks/mail"
        value={url}
        problems={problems['url']}
        onChange={(event) => setUrl(event.target.value)}
      />
      {isLocalUrl(url) && (
        <div role="status" className="rounded-md bg-warn-soft p-3">
          <LocalWebhooks url={url} />
        </div>
      )}
      <TextField
        label="Description"
        hint="Optional."
        value={description}
        problems={problems['description']}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Mailbox"
          hint="Leave empty for all mailboxes."
          autoCapitalize="none"
          value={mailbox}
          problems={problems['mailbox']}
          onChange={(event) => setMailbox(event.target.value)}
        />
        <TextField
          label="Tag"
          hint="Leave empty for any tag."
          autoCapitalize="none"
          value={tag}
          problems={problems['tag']}
          onChange={(event) => setTag(event.target.value)}
        />
      </div>
      {add.failure && <FailureNotice failure={add.failure} />}
      <Buttons className="justify-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={add.isRunning}>
          Add endpoint
        </Button>
      </Buttons>
    </form>
  )
}
