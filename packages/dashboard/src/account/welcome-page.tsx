import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useSignOut } from '../shell/use-sign-out.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { AccountFrame } from './account-frame.tsx'

/** For users without a team: create one, or accept an invite. */
export default function WelcomePage() {
  const invites = useQuery(queries.myInvites).data ?? []
  const signOut = useSignOut()
  return (
    <AccountFrame
      title="Your team"
      description="A team shares mailboxes, messages and keys. Fields you leave empty are filled in for you."
      footer={
        <button type="button" className="link" onClick={() => signOut.run()}>
          Sign out
        </button>
      }
    >
      {invites.map(({ id, team }) => (
        <p key={id} className="mb-4 rounded-md bg-accent-soft px-3 py-2">
          {team.name} has invited you.{' '}
          <Link href={`/teams?invite=${id}`} className="link font-medium">
            View invite
          </Link>
        </p>
      ))}
      <TeamForm />
    </AccountFrame>
  )
}

function TeamForm() {
  const [teamName, setTeamName] = useState('')
  const [mailboxName, setMailboxName] = useState('')
  const setUp = useAction(
    () =>
      trpc.team.autoSetup.mutate({
        ...(teamName.trim() && { teamName }),
        ...(mailboxName.trim() && { mailboxName }),
      }),
    { changes: ['me', 'team'] },
  )
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        setUp.run()
      }}
    >
      <TextField
        label="Team name"
        autoFocus
        value={teamName}
        problems={setUp.failure?.details['teamName']}
        onChange={(event) => setTeamName(event.target.value)}
      />
      <TextField
        label="First mailbox"
        hint="For example qa, which receives mail to qa@… and to every tag, such as qa+signup@…"
        autoCapitalize="none"
        spellCheck={false}
        value={mailboxName}
        problems={setUp.failure?.details['mailboxName']}
        onChange={(event) => setMailboxName(event.target.value)}
      />
      {setUp.failure && <FailureNotice failure={setUp.failure} />}
      <Button type="submit" variant="primary" isBusy={setUp.isRunning} className="w-full">
        Create team
      </Button>
    </form>
  )
}
