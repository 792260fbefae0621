import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { auth } from '../api/auth.ts'
import { queries } from '../api/queries.ts'
import { useAction } from '../api/use-action.ts'
import { serverPath } from '../base-path.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { AccountFrame } from './account-frame.tsx'
import { LinkSignIn } from './link-sign-in.tsx'
import { useEnter } from './use-enter.ts'
import { useParameter } from './use-parameter.ts'

export default function SignInPage() {
  const token = useParameter('token')
  return token ? <LinkSignIn token={token} /> : <PasswordSignIn />
}

function PasswordSignIn() {
  const methods = useQuery(queries.methods).data
  const enter = useEnter()
  const signIn = useAction(auth.signIn, { onDone: enter })
  const refusal = useParameter('error')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  return (
    <AccountFrame title="Sign in" footer={<Footer isOpen={methods?.signUp === 'open'} />}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          signIn.run({ email, password })
        }}
      >
        {refusal && !signIn.failure && <FailureNotice failure={providerFailure(refusal)} />}
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {signIn.failure && <FailureNotice failure={signIn.failure} />}
        <Button type="submit" look="primary" isBusy={signIn.isRunning} className="w-full">
          Sign in
        </Button>
        <p className="text-sm">
          <Link href="/reset" className="link">
            Forgot the password?
          </Link>
        </p>
      </form>
      {methods?.oidc && (
        <a href={serverPath('/auth/oidc/start')} className={buttonClass('plain', 'mt-4 w-full')}>
          Sign in with your organisation
        </a>
      )}
    </AccountFrame>
  )
}

function Footer({ isOpen }: { isOpen: boolean }) {
  if (isOpen) {
    return (
      <>
        New here?{' '}
        <Link href="/sign-up" className="link">
          Make an account
        </Link>
      </>
    )
  }
  return 'New here? Open the link of your invite. On your own machine, the server prints a sign-in link.'
}

/** The provider sends browsers back with a code only. */
function providerFailure(code: string) {
  const message = PROVIDER_MESSAGES[code] ?? 'The sign-in with your organisation did not work.'
  return { message, code, requestId: null, details: {} }
}

const PROVIDER_MESSAGES: Record<string, string> = {
  invite_needed: 'You need an invite for this address. Ask an owner of your team.',
  sign_in_refused: 'Your organisation did not confirm who you are. Try again.',
}
