import { useState } from 'react'
import { useLocation } from 'wouter'
import { queryClient } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useSession } from '../session.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { notify } from '../ui/notices.ts'

export function LeaveTeam() {
  const { team } = useSession()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const leave = useAction(() => trpc.team.leave.mutate(), {
    onDone() {
      notify(`You have left ${team.name}.`)
      navigate('/')
      // Nothing of the team is kept, and what the page goes on with is asked for anew.
      void queryClient.resetQueries()
    },
  })
  return (
    <>
      <Button look="quiet" onClick={() => setAsking(true)}>
        Leave team
      </Button>
      <ConfirmDialog
        title={`Leave ${team.name}?`}
        action="Leave"
        isOpen={isAsking}
        isBusy={leave.isRunning}
        failure={leave.failure}
        onClose={() => setAsking(false)}
        onConfirm={() => leave.run()}
      >
        You no longer see the team’s mail, and the keys you made stop working. To come back you need a new invite.
      </ConfirmDialog>
    </>
  )
}
