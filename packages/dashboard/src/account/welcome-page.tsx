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

/** For those without a team: make one, or join the one that invited them. */
export default function WelcomePage() {
  const invites = useQuery(queries.myInvites).data ?? []
  const signOut = useSignOut()
  return (
    <AccountFrame
      title="Your team"
      description="A team shares mailboxes, messages and keys. What you leave empty is chosen for you."
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
            See the invite
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
        label="Name of the team"
        autoFocus
        value={teamName}
        problems={setUp.failure?.details['teamName']}
        onChange={(event) => setTeamName(event.target.value)}
      />
      <TextField
        label="First mailbox"
        hint="Such as qa: mail to qa@… and qa+anything@… arrives there."
        autoCapitalize="none"
        spellCheck={false}
        value={mailboxName}
        problems={setUp.failure?.details['mailboxName']}
        onChange={(event) => setMailboxName(event.target.value)}
      />
      {setUp.failure && <FailureNotice failure={setUp.failure} />}
      <Button type="submit" look="primary" isBusy={setUp.isRunning} className="w-full">
        Make the team
      </Button>
    </form>
  )
}
