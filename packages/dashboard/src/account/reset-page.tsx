import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { auth } from '../api/auth.ts'
import { queries } from '../api/queries.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { AccountFrame } from './account-frame.tsx'
import { NewPasswordField } from './password-fields.tsx'
import { useAfterSignIn } from './use-after-sign-in.ts'
import { useParameter } from './use-parameter.ts'

export default function ResetPage() {
  const token = useParameter('token')
  const footer = (
    <Link href="/sign-in" className="link">
      Back to sign in
    </Link>
  )
  return token ? (
    <AccountFrame
      title="Choose a new password"
      description="Saving signs you in here and signs out all other sessions."
      footer={footer}
    >
      <NewPassword token={token} />
    </AccountFrame>
  ) : (
    <AccountFrame title="Forgot your password?" footer={footer}>
      <RequestReset />
    </AccountFrame>
  )
}

function RequestReset() {
  const methods = useQuery(queries.methods).data
  const request = useAction(auth.requestReset)
  const [email, setEmail] = useState('')
  if (methods?.mail === false) {
    return (
      <p>
        This server cannot send mail. Ask its administrator for a link: they create one with{' '}
        <code className="font-mono">mailhatch users reset-password</code>.
      </p>
    )
  }
  if (request.result)
    return <p role="status">If {email} has an account, we sent a link to it. The link works for ten minutes.</p>
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        request.run(email)
      }}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      {request.failure && <FailureNotice failure={request.failure} />}
      <Button type="submit" variant="primary" isBusy={request.isRunning} className="w-full">
        Send link
      </Button>
    </form>
  )
}

function NewPassword({ token }: { token: string }) {
  const afterSignIn = useAfterSignIn()
  const reset = useAction(auth.reset, { onDone: afterSignIn })
  const [password, setPassword] = useState('')
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        reset.run({ token, password })
      }}
    >
      <NewPasswordField value={password} failure={reset.failure} field="password" onChange={setPassword} />
      {reset.failure && <FailureNotice failure={reset.failure} />}
      <Button type="submit" variant="primary" isBusy={reset.isRunning} className="w-full">
        Set password
      </Button>
    </form>
  )
}
