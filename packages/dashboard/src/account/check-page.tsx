import { Link } from 'wouter'
import { auth } from '../api/auth.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { AccountFrame } from './account-frame.tsx'
import { useParameter } from './use-parameter.ts'

/** Where the mail of a sign-up leads. */
export default function CheckPage() {
  const token = useParameter('token') ?? ''
  const check = useAction(() => auth.checkAddress(token))
  return (
    <AccountFrame title={check.result ? 'Your address is confirmed' : 'Confirm your address'}>
      <div className="space-y-4">
        {check.failure && <FailureNotice failure={check.failure} />}
        {check.result ? (
          <Link href="/sign-in" className="link">
            Sign in
          </Link>
        ) : (
          <Button look="primary" isBusy={check.isRunning} className="w-full" onClick={() => check.run()}>
            This address is mine
          </Button>
        )}
      </div>
    </AccountFrame>
  )
}
