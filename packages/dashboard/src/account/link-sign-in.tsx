import { Link } from 'wouter'
import { auth } from '../api/auth.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { AccountFrame } from './account-frame.tsx'
import { useEnter } from './use-enter.ts'

/** The link is used up by a press, not by being opened: programs that look at links in mail would use it up too. */
export function LinkSignIn({ token }: { token: string }) {
  const enter = useEnter()
  const signIn = useAction(() => auth.signInByLink(token), { onDone: enter })
  return (
    <AccountFrame
      title="Sign in"
      description="This link signs you in once, without a password."
      footer={
        <Link href="/sign-in" className="link">
          Sign in with a password instead
        </Link>
      }
    >
      <div className="space-y-4">
        {signIn.failure && (
          <>
            <FailureNotice failure={signIn.failure} />
            <p className="text-sm text-quiet">
              A new link: <code className="font-mono">mailhatch users sign-in-link</code> on the machine of the server.
            </p>
          </>
        )}
        <Button look="primary" autoFocus isBusy={signIn.isRunning} className="w-full" onClick={() => signIn.run()}>
          Sign in
        </Button>
      </div>
    </AccountFrame>
  )
}
