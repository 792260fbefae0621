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
      // Drops all cached data of the team and reloads what the page needs.
      void queryClient.resetQueries()
    },
  })
  return (
    <>
      <Button variant="quiet" onClick={() => setAsking(true)}>
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
        You lose access to the team’s mail, and the keys you created stop working. To rejoin, you need a new invite.
      </ConfirmDialog>
    </>
  )
}
