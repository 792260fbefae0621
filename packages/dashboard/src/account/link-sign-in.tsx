import { Link } from 'wouter'
import { auth } from '../api/auth.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { AccountFrame } from './account-frame.tsx'
import { useAfterSignIn } from './use-after-sign-in.ts'

/** The button uses up the link, not the page load: programs that scan mail open every link in it. */
export function LinkSignIn({ token }: { token: string }) {
  const afterSignIn = useAfterSignIn()
  const signIn = useAction(() => auth.signInByLink(token), { onDone: afterSignIn })
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
              To get a new link, run <code className="font-mono">mailhatch users sign-in-link</code> on the server.
            </p>
          </>
        )}
        <Button variant="primary" autoFocus isBusy={signIn.isRunning} className="w-full" onClick={() => signIn.run()}>
          Sign in
        </Button>
      </div>
    </AccountFrame>
  )
}
