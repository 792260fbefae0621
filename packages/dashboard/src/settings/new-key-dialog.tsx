import type { Scope } from '@mailhatch/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { serverNow } from '../server-time.ts'
import { Button, Buttons } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { SCOPE_TEXTS } from './scope-texts.ts'

const DAY_MS = 86_400_000
const LIFETIMES = [
  { days: '', text: 'Never' },
  { days: '7', text: 'After 7 days' },
  { days: '30', text: 'After 30 days' },
  { days: '90', text: 'After 90 days' },
  { days: '365', text: 'After a year' },
]

type Props = { isOpen: boolean; onClose: () => void; onCreated: (key: string) => void }

export function NewKeyDialog({ isOpen, onClose, onCreated }: Props) {
  return (
    <Dialog title="New API key" isOpen={isOpen} onClose={onClose}>
      <KeyForm onClose={onClose} onCreated={onCreated} />
    </Dialog>
  )
}

function KeyForm({ onClose, onCreated }: Omit<Props, 'isOpen'>) {
  const mailboxes = useQuery(queries.mailboxes).data ?? []
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('api.full')
  const [mailboxId, setMailboxId] = useState('')
  const [days, setDays] = useState('')
  const create = useAction(trpc.apiKeys.create.mutate, {
    changes: ['keys', 'usage'],
    onDone: ({ key }) => onCreated(key),
  })
  const problems = create.failure?.details ?? {}
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        create.run({
          name,
          scope,
          ...(scope === 'email.mailbox' && { mailboxId }),
          ...(days && { expiresAt: new Date(serverNow() + Number(days) * DAY_MS).toISOString() }),
        })
      }}
    >
      <TextField
        label="Name"
        hint="Where it is used, for example “Shop CI”."
        required
        autoFocus
        maxLength={100}
        value={name}
        problems={problems['name']}
        onChange={(event) => setName(event.target.value)}
      />
      {/* The option values are scopes. */}
      <SelectField label="Permissions" value={scope} onChange={(event) => setScope(event.target.value as Scope)}>
        {Object.entries(SCOPE_TEXTS).map(([value, { long }]) => (
          <option key={value} value={value}>
            {long}
          </option>
        ))}
      </SelectField>
      {scope === 'email.mailbox' && (
        <SelectField
          label="Mailbox"
          required
          value={mailboxId}
          problems={problems['mailboxId']}
          hint={mailboxes.length === 0 && 'There are no mailboxes yet. Create one under Mailboxes.'}
          onChange={(event) => setMailboxId(event.target.value)}
        >
          <option value="">Select a mailbox</option>
          {mailboxes.map(({ id, address }) => (
            <option key={id} value={id}>
              {address}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField label="Expires" value={days} onChange={(event) => setDays(event.target.value)}>
        {LIFETIMES.map(({ days, text }) => (
          <option key={days} value={days}>
            {text}
          </option>
        ))}
      </SelectField>
      {create.failure && <FailureNotice failure={create.failure} />}
      <Buttons className="justify-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={create.isRunning}>
          Create key
        </Button>
      </Buttons>
    </form>
  )
}
