import { useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../api/queries.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner } from '../session.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { notify } from '../ui/notices.ts'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Cell, Row, Table } from '../ui/table.tsx'
import { MailboxDialog } from './mailbox-dialog.tsx'

export type Mailbox = Outputs['inbox']['mailboxes']['list'][number]

export function MailboxesPage() {
  const isOwner = useIsOwner()
  const [edited, setEdited] = useState<Mailbox | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Mailbox | null>(null)
  const remove = useAction((id: string) => trpc.inbox.mailboxes.remove.mutate({ id }), {
    changes: ['mailboxes', 'usage', 'keys'],
    onDone() {
      setDeleting(null)
      notify('Mailbox and its mail deleted.')
    },
  })
  return (
    <Page
      title="Mailboxes"
      description="A mailbox receives mail for its address and for every tag: qa@…, qa+signup@…. On a custom domain, the first mail to a new name creates its mailbox."
      actions={
        isOwner && (
          <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
            New mailbox
          </Button>
        )
      }
    >
      <OwnersOnly what="create, rename and delete mailboxes" />
      <Loaded query={queries.mailboxes}>
        {(mailboxes) => (
          <Panel isFlush>
            {mailboxes.length === 0 ? (
              <EmptyState icon="mailbox" title="No mailboxes yet" />
            ) : (
              <Table caption="Mailboxes" columns={COLUMNS}>
                {mailboxes.map((mailbox) => (
                  <MailboxRow key={mailbox.id} mailbox={mailbox} onEdit={setEdited} onRemove={setDeleting} />
                ))}
              </Table>
            )}
          </Panel>
        )}
      </Loaded>
      <MailboxDialog edited={edited} onClose={() => setEdited(null)} />
      <ConfirmDialog
        title={`Delete ${deleting?.name}?`}
        action="Delete mailbox and mail"
        typed={deleting?.name ?? ''}
        isOpen={deleting !== null}
        isBusy={remove.isRunning}
        failure={remove.failure}
        onClose={() => setDeleting(null)}
        onConfirm={() => deleting && remove.run(deleting.id)}
      >
        This also deletes all its messages, and keys limited to it stop working. It cannot be undone.
      </ConfirmDialog>
    </Page>
  )
}

const COLUMNS = [{ text: 'Address' }, { text: 'Last changed' }, { text: 'Actions', isHidden: true }]

type RowProps = { mailbox: Mailbox; onEdit: (mailbox: Mailbox) => void; onRemove: (mailbox: Mailbox) => void }

function MailboxRow({ mailbox, onEdit, onRemove }: RowProps) {
  const isOwner = useIsOwner()
  const { address, updatedAt } = mailbox
  return (
    <Row>
      <Cell className="max-md:pr-10">
        <span className="inline-flex items-center gap-1">
          <Link href={`/a/${encodeURIComponent(address)}`} className="link">
            {address}
          </Link>
          <CopyButton text={address} what={`Copy ${address}`} />
        </span>
      </Cell>
      <Cell label="Last changed">
        <RelativeTime at={updatedAt} />
      </Cell>
      <Cell align="right" className="max-md:absolute max-md:right-2 max-md:top-2">
        {isOwner && (
          <Menu trigger={<IconButton icon="more" label={`Actions for ${address}`} />}>
            <MenuItem icon="mailbox" onSelect={() => onEdit(mailbox)}>
              Rename
            </MenuItem>
            <MenuItem icon="trash" isDanger onSelect={() => onRemove(mailbox)}>
              Delete
            </MenuItem>
          </Menu>
        )}
      </Cell>
    </Row>
  )
}
