import { useState } from 'react'
import { queries } from '../api/queries.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner } from '../session.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Cell, Row, Table } from '../ui/table.tsx'

type Invite = Outputs['team']['invites'][number]

const COLUMNS = [{ text: 'Address' }, { text: 'Expires' }, { text: 'Actions', isHidden: true }]

export function InvitesPanel() {
  const isOwner = useIsOwner()
  return (
    <Panel title="Invites" description="An invite is for one address and works for 14 days." isFlush>
      {isOwner && <InviteForm />}
      <Loaded query={queries.invites}>
        {(invites) =>
          invites.length === 0 ? (
            <p className="px-4 py-4 text-sm text-quiet">No open invites.</p>
          ) : (
            <Table caption="Open invites" columns={COLUMNS}>
              {invites.map((invite) => (
                <InviteRow key={invite.email} invite={invite} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}

function InviteForm() {
  const [email, setEmail] = useState('')
  const invite = useAction(() => trpc.team.invite.mutate({ email }), {
    changes: ['invites'],
    onDone({ isMailed }) {
      setEmail('')
      notify(
        isMailed ? 'Invite sent.' : 'Invite created. Copy its link and send it yourself: this server cannot send mail.',
      )
    },
  })
  return (
    <form
      className="space-y-3 border-b border-line p-4"
      onSubmit={(event) => {
        event.preventDefault()
        invite.run()
      }}
    >
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="Invite by email"
          type="email"
          required
          className="w-72 max-w-full"
          value={email}
          problems={invite.failure?.details['email']}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Button type="submit" variant="primary" isBusy={invite.isRunning} className="min-h-9">
          Invite
        </Button>
      </div>
      {invite.failure && <FailureNotice failure={{ ...invite.failure, details: {} }} />}
    </form>
  )
}

function InviteRow({ invite: { id, email, expiresAt, link } }: { invite: Invite }) {
  return (
    <Row>
      <Cell>{email}</Cell>
      <Cell label="Expires">
        <RelativeTime at={expiresAt} isPlanned />
      </Cell>
      <Cell align="right">
        <span className="inline-flex flex-wrap gap-2">
          {link !== null && <CopyButton text={link} label="Copy link" />}
          {id !== null && <WithdrawButton id={id} email={email} />}
        </span>
      </Cell>
    </Row>
  )
}

function WithdrawButton({ id, email }: { id: string; email: string }) {
  const remove = useAction(() => trpc.team.deleteInvite.mutate({ id }), {
    changes: ['invites'],
    onDone: () => notify('Invite withdrawn.'),
  })
  return (
    <Button
      variant="quiet"
      isBusy={remove.isRunning}
      onClick={() => remove.run()}
      aria-label={`Withdraw the invite for ${email}`}
    >
      Withdraw
    </Button>
  )
}
