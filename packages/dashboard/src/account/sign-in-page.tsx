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
import { ServerLink } from '../ui/server-link.tsx'
import { AccountFrame } from './account-frame.tsx'
import { LinkSignIn } from './link-sign-in.tsx'
import { useAfterSignIn } from './use-after-sign-in.ts'
import { useParameter } from './use-parameter.ts'

export default function SignInPage() {
  const token = useParameter('token')
  return token ? <LinkSignIn token={token} /> : <PasswordSignIn />
}

function PasswordSignIn() {
  const methods = useQuery(queries.methods).data
  const afterSignIn = useAfterSignIn()
  const signIn = useAction(auth.signIn, { onDone: afterSignIn })
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
          label="Email"
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
        <Button type="submit" variant="primary" isBusy={signIn.isRunning} className="w-full">
          Sign in
        </Button>
        <p className="text-sm">
          <Link href="/reset" className="link">
            Forgot your password?
          </Link>
        </p>
      </form>
      {methods?.oidc && (
        <ServerLink href={serverPath('/auth/oidc/start')} className={buttonClass('plain', 'mt-4 w-full')}>
          Sign in with SSO
        </ServerLink>
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
          Create an account
        </Link>
      </>
    )
  }
  return 'New here? Open the link in your invite. On your own machine, use the sign-in link that the server prints.'
}

/** The OIDC callback redirects back here with an error code only. */
function providerFailure(code: string) {
  const message = PROVIDER_MESSAGES[code] ?? 'Signing in with SSO failed. Try again.'
  return { message, code, requestId: null, details: {} }
}

const PROVIDER_MESSAGES: Record<string, string> = {
  invite_needed: 'You need an invite for this address. Ask an owner of your team.',
  sign_in_refused: 'The SSO provider did not confirm your identity. Try again.',
}
