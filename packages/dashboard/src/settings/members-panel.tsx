import { useState } from 'react'
import { queries } from '../api/queries.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner, useSession } from '../session.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Cell, Row, Table } from '../ui/table.tsx'
import { LeaveTeam } from './leave-team.tsx'

type Member = Outputs['team']['members'][number]

const COLUMNS = [{ text: 'Member' }, { text: 'Role' }, { text: 'Joined' }, { text: 'Actions', isHidden: true }]

export function MembersPanel() {
  const { me } = useSession()
  const isOwner = useIsOwner()
  const [leaving, setLeaving] = useState<Member | null>(null)
  const remove = useAction((userId: string) => trpc.team.removeMember.mutate({ userId }), {
    changes: ['members', 'keys', 'usage'],
    onDone() {
      setLeaving(null)
      notify('Member removed.')
    },
  })
  return (
    <Panel title="Members" isFlush>
      <Loaded query={queries.members}>
        {(members) => (
          <Table caption="Members" columns={COLUMNS}>
            {members.map((member) => (
              <Row key={member.id}>
                <Cell>
                  <span className="font-medium">{member.name || member.email}</span>
                  {member.name && <span className="text-quiet"> {member.email}</span>}
                  {member.id === me.id && <span className="text-quiet"> (you)</span>}
                </Cell>
                <Cell>
                  <Badge tone={member.role === 'owner' ? 'accent' : 'neutral'}>{member.role}</Badge>
                </Cell>
                <Cell label="Joined">
                  <RelativeTime at={member.joinedAt} />
                </Cell>
                <Cell align="right">
                  {isOwner && member.id !== me.id && (
                    <Button variant="quiet" onClick={() => setLeaving(member)} aria-label={`Remove ${member.email}`}>
                      Remove
                    </Button>
                  )}
                  {member.id === me.id && canLeave(member, members) && <LeaveTeam />}
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      </Loaded>
      <ConfirmDialog
        title={`Remove ${leaving?.name || leaving?.email}?`}
        action="Remove"
        isOpen={leaving !== null}
        isBusy={remove.isRunning}
        failure={remove.failure}
        onClose={() => setLeaving(null)}
        onConfirm={() => leaving && remove.run(leaving.id)}
      >
        They lose access to the team’s mail, and the keys they created stop working.
      </ConfirmDialog>
    </Panel>
  )
}

/** The last owner cannot leave. */
function canLeave(leaving: Member, members: Member[]): boolean {
  return leaving.role !== 'owner' || members.some(({ id, role }) => role === 'owner' && id !== leaving.id)
}
