import type { Scope } from '@mailhatch/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { Button, Buttons } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { SCOPE_TEXTS } from './scope-texts.ts'

const DAY_MS = 86_400_000
const LIVES = [
  { days: '', text: 'No, until it is deleted' },
  { days: '7', text: 'After 7 days' },
  { days: '30', text: 'After 30 days' },
  { days: '90', text: 'After 90 days' },
  { days: '365', text: 'After a year' },
]

type Props = { isOpen: boolean; onClose: () => void; onMade: (key: string) => void }

export function NewKeyDialog({ isOpen, onClose, onMade }: Props) {
  return (
    <Dialog title="New API key" isOpen={isOpen} onClose={onClose}>
      <KeyForm onClose={onClose} onMade={onMade} />
    </Dialog>
  )
}

function KeyForm({ onClose, onMade }: Omit<Props, 'isOpen'>) {
  const mailboxes = useQuery(queries.mailboxes).data ?? []
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('api.full')
  const [mailboxId, setMailboxId] = useState('')
  const [days, setDays] = useState('')
  const make = useAction(trpc.apiKeys.create.mutate, { changes: ['keys', 'usage'], onDone: ({ key }) => onMade(key) })
  const problems = make.failure?.details ?? {}
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        make.run({
          name,
          scope,
          ...(scope === 'email.mailbox' && { mailboxId }),
          ...(days && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
        })
      }}
    >
      <TextField
        label="Name"
        hint="Where it is used, such as “CI of the shop”."
        required
        autoFocus
        maxLength={100}
        value={name}
        problems={problems['name']}
        onChange={(event) => setName(event.target.value)}
      />
      {/* The options are the names of scopes. */}
      <SelectField label="It may" value={scope} onChange={(event) => setScope(event.target.value as Scope)}>
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
          hint={mailboxes.length === 0 && 'There is none yet: make one under Mailboxes, or send it a mail.'}
          onChange={(event) => setMailboxId(event.target.value)}
        >
          <option value="">Choose one</option>
          {mailboxes.map(({ id, address }) => (
            <option key={id} value={id}>
              {address}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField label="Does it expire?" value={days} onChange={(event) => setDays(event.target.value)}>
        {LIVES.map(({ days, text }) => (
          <option key={days} value={days}>
            {text}
          </option>
        ))}
      </SelectField>
      {make.failure && <FailureNotice failure={make.failure} />}
      <Buttons className="justify-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={make.isRunning}>
          Make the key
        </Button>
      </Buttons>
    </form>
  )
}
