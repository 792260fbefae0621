import { useState } from 'react'
import { queries } from '../api/queries.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner } from '../session.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { Table } from '../ui/table.tsx'
import { KeyRow } from './key-row.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'

export type Key = Outputs['apiKeys']['list'][number]

type Asked = { what: 'rotate' | 'delete'; key: Key } | null

export function KeysPage() {
  const isOwner = useIsOwner()
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [asked, setAsked] = useState<Asked>(null)
  const newKey = (
    <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
      New key
    </Button>
  )
  return (
    <Page
      title="API keys"
      description="Tests, the SDK and the CLI use a key to read mail. Store it as a secret in your CI: it is shown only once."
      actions={isOwner && newKey}
    >
      <OwnersOnly what="create and delete keys" />
      <Loaded query={queries.keys}>
        {(keys) => (
          <Panel isFlush>
            {keys.length === 0 ? (
              <EmptyState icon="key" title="No keys yet">
                <p>Create one for your tests, or one per mailbox to isolate test suites.</p>
                {isOwner && newKey}
              </EmptyState>
            ) : (
              <KeyTable keys={keys} onAsk={setAsked} />
            )}
          </Panel>
        )}
      </Loaded>
      <NewKeyDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onCreated={(key) => {
          setCreating(false)
          setSecret(key)
        }}
      />
      <SecretDialog
        title="Your new key"
        what="key"
        hint="It is shown only once. Anyone who has it gets its permissions."
        secret={secret}
        onClose={() => setSecret(null)}
      />
      <RotateDialog
        asked={asked?.what === 'rotate' ? asked.key : null}
        onClose={() => setAsked(null)}
        onRotated={setSecret}
      />
      <DeleteDialog asked={asked?.what === 'delete' ? asked.key : null} onClose={() => setAsked(null)} />
    </Page>
  )
}

function KeyTable({ keys, onAsk }: { keys: Key[]; onAsk: (asked: Asked) => void }) {
  return (
    <Table
      caption="API keys"
      columns={[
        { text: 'Name' },
        { text: 'Key' },
        { text: 'Permissions' },
        { text: 'Last used' },
        { text: 'Created' },
        { text: 'Actions', isHidden: true },
      ]}
    >
      {keys.map((key) => (
        <KeyRow
          key={key.id}
          apiKey={key}
          onRotate={() => onAsk({ what: 'rotate', key })}
          onDelete={() => onAsk({ what: 'delete', key })}
        />
      ))}
    </Table>
  )
}

type AnswerProps = { asked: Key | null; onClose: () => void }

function RotateDialog({ asked, onClose, onRotated }: AnswerProps & { onRotated: (key: string) => void }) {
  const rotate = useAction((id: string) => trpc.apiKeys.rotate.mutate({ id }), {
    changes: ['keys'],
    onDone({ key }) {
      onClose()
      onRotated(key)
    },
  })
  return (
    <ConfirmDialog
      title={`Rotate ${asked?.name}?`}
      action="Rotate"
      isOpen={asked !== null}
      isBusy={rotate.isRunning}
      failure={rotate.failure}
      onClose={onClose}
      onConfirm={() => asked && rotate.run(asked.id)}
    >
      The current key stops working at once, in every test that uses it. You get a new one.
    </ConfirmDialog>
  )
}

function DeleteDialog({ asked, onClose }: AnswerProps) {
  const remove = useAction((id: string) => trpc.apiKeys.delete.mutate({ id }), {
    changes: ['keys', 'usage'],
    onDone() {
      notify('Key deleted.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${asked?.name}?`}
      action="Delete"
      isOpen={asked !== null}
      isBusy={remove.isRunning}
      failure={remove.failure}
      onClose={onClose}
      onConfirm={() => asked && remove.run(asked.id)}
    >
      Every test that uses this key will fail. This cannot be undone.
    </ConfirmDialog>
  )
}
