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

/** /teams?invite=…: where the link of an invite leads. */
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
  // Known only to those whose address is confirmed; the link alone opens it as well.
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
            {invite.invitedBy.name || invite.invitedBy.email} has invited you. You will see the mail, keys and webhooks
            of the team; only its owners change them.
          </p>
        )}
        {failure && <FailureNotice failure={explain(failure)} />}
        <div className="grid grid-cols-2 gap-2">
          <Button isBusy={decline.isRunning} onClick={() => decline.run()}>
            Decline
          </Button>
          <Button look="primary" isBusy={accept.isRunning} onClick={() => accept.run()}>
            Join the team
          </Button>
        </div>
      </div>
    </AccountFrame>
  )
}

/** Someone else's invite looks like none to the server. */
function explain<Told extends { code: string; message: string }>(failure: Told): Told {
  if (failure.code !== 'not_found') return failure
  return {
    ...failure,
    message: 'This invite is gone, or it is for another address than the one you are signed in with.',
  }
}
