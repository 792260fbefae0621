import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { auth } from '../api/auth.ts'
import { queries, queryClient } from '../api/queries.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { AccountFrame } from './account-frame.tsx'
import { NewPasswordField } from './password-fields.tsx'
import { useParameter } from './use-parameter.ts'

export default function SignUpPage() {
  const invite = useParameter('invite')
  const methods = useQuery(queries.methods).data
  const toSignIn = invite ? `/sign-in?next=${encodeURIComponent(`/teams?invite=${invite}`)}` : '/sign-in'
  const footer = (
    <>
      Already have an account?{' '}
      <Link href={toSignIn} className="link">
        Sign in
      </Link>
    </>
  )
  if (!invite && methods?.signUp === 'invite') {
    return (
      <AccountFrame title="Invite only" footer={footer}>
        <p>Ask an owner of your team to invite your address, then open the link in the invite.</p>
      </AccountFrame>
    )
  }
  return (
    <AccountFrame
      title={invite ? 'You are invited' : 'Create an account'}
      description={invite && 'Create an account with the address that was invited.'}
      footer={footer}
    >
      <SignUpForm invite={invite} />
    </AccountFrame>
  )
}

function SignUpForm({ invite }: { invite: string | null }) {
  const [, navigate] = useLocation()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const signUp = useAction(auth.signUp, {
    onDone({ status }) {
      if (status === 'check_address') return
      queryClient.clear()
      navigate(invite ? `/teams?invite=${encodeURIComponent(invite)}` : '/', { replace: true })
    },
  })
  if (signUp.result?.status === 'check_address') {
    return <p role="status">Open the link in the mail we just sent to {email}. It works for ten minutes.</p>
  }
  const { failure } = signUp
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        signUp.run({ email, password, name, invite })
      }}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        problems={failure?.details['email']}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Name"
        autoComplete="name"
        hint="Optional. Your team sees it."
        problems={failure?.details['name']}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <NewPasswordField value={password} failure={failure} field="password" onChange={setPassword} />
      {failure && <FailureNotice failure={{ ...failure, details: {} }} />}
      <Button type="submit" variant="primary" isBusy={signUp.isRunning} className="w-full">
        Create account
      </Button>
    </form>
  )
}
