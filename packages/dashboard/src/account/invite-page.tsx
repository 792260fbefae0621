import { useQuery } from '@tanstack/react-query'
import { Link, Redirect, useLocation } from 'wouter'
import { queries } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loading } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { AccountFrame } from './account-frame.tsx'
import { useParameter } from './use-parameter.ts'

/** /teams?invite=…, the page that an invite links to. */
export default function InvitePage() {
  const id = useParameter('invite')
  return id === null ? <Redirect to="/settings/team" replace /> : <Invite id={id} />
}

function Invite({ id }: { id: string }) {
  const [, navigate] = useLocation()
  const me = useQuery(queries.me).data
  const invites = useQuery(queries.myInvites)
  const accept = useAction(() => trpc.team.acceptInvite.mutate({ id }), {
    changes: ['me', 'team'],
    onDone(team) {
      notify(`You are now a member of ${team.name}.`)
      navigate('/', { replace: true })
    },
  })
  const decline = useAction(() => trpc.team.declineInvite.mutate({ id }), {
    changes: ['myInvites'],
    onDone: () => navigate('/', { replace: true }),
  })
  if (invites.isPending || !me) return <Loading />
  // The list has the invite only if the address is confirmed. Without it, the link still works.
  const invite = invites.data?.find((other) => other.id === id)
  const failure = accept.failure ?? decline.failure
  return (
    <AccountFrame
      title={invite ? `Join ${invite.team.name}` : 'Join a team'}
      description={`You are signed in as ${me.email}.`}
      footer={
        <Link href="/" className="link">
          Not now
        </Link>
      }
    >
      <div className="space-y-4">
        {invite && (
          <p>
            {invite.invitedBy.name || invite.invitedBy.email} has invited you. Members see the team’s mail, keys and
            webhooks; only owners can change them.
          </p>
        )}
        {failure && <FailureNotice failure={explain(failure)} />}
        <div className="grid grid-cols-2 gap-2">
          <Button isBusy={decline.isRunning} onClick={() => decline.run()}>
            Decline
          </Button>
          <Button variant="primary" isBusy={accept.isRunning} onClick={() => accept.run()}>
            Join the team
          </Button>
        </div>
      </div>
    </AccountFrame>
  )
}

/** The server responds with the same error to an invite that does not exist and to one for another address. */
function explain<Failure extends { code: string; message: string }>(failure: Failure): Failure {
  if (failure.code !== 'not_found') return failure
  return {
    ...failure,
    message: 'This invite has expired, was withdrawn, or is for a different address than yours.',
  }
}
